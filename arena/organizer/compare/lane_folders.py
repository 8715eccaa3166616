"""The private files of lanes, and what lanes keep of them.

Several processes of one program play the same deal in different seats. Private files keep these processes from
sharing knowledge by accident. Only boxes stop deliberate sharing.

If the user asks for it, lanes keep the files that their bots wrote for the next comparison. The files belong to the
programs and the table: candidate, baseline and opponents, each as its content hash, and the terms. If any of these
changes, all lanes begin with fresh files. So both programs always have equally much experience: with files for each
program, a changed candidate would begin anew against a baseline that has played before.
"""

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.competition.compare.lanes import Lanes
from arena.log_lines import get_logger
from arena.plain_data import canonical_json
from arena.plurals import format_count
from arena.server.store.data_folder import write_private_file

log = get_logger(__name__)

KEEPS_STATE: Final = "keep_state"
"""The value of a comparison's request that says that its lanes keep their files."""
_OWNING_VALUES: Final = ("programs", "opponents", "terms")
"""The values of the request to which the files belong."""
_EXPERIENCE_FILE: Final = "experience.json"


class Experience(msgspec.Struct, frozen=True):
    """The earlier comparisons whose files the lanes have kept."""

    comparisons: int = 0
    """Comparisons that ended by themselves."""
    games: int = 0
    """Games of these."""
    unfinished: tuple[str, ...] = ()
    """Ids of comparisons that were stopped. Bots may remember their games too."""

    def describe(self) -> str:
        """Return the experience in words.

        >>> Experience().describe(), Experience(1, 192).describe()
        ('nothing', '192 games of 1 earlier comparison')
        >>> Experience(1, 192, ("one",)).describe()
        '192 games of 1 earlier comparison, and games of 1 unfinished comparison'
        """
        known = f"{format_count(self.games, 'game')} of {format_count(self.comparisons, 'earlier comparison')}"
        stopped = f"games of {format_count(len(self.unfinished), 'unfinished comparison')}"
        parts = [*([known] if self.comparisons else ()), *([stopped] if self.unfinished else ())]
        return ", and ".join(parts) or "nothing"


@dataclass(frozen=True, slots=True)
class KeptState:
    """The files that lanes keep, and the experience with which this comparison begins."""

    folder: Path
    before: Experience
    """What the bots remember from other comparisons."""
    comparison: str
    """The id of this comparison."""

    def lane_folders(self, lanes: Lanes) -> Mapping[str, Path]:
        """Return the folder of each process by name. The same seat of the same lane gets the same folder each time.

        The folders have names that were drawn by lot once. So a path tells a bot neither its role nor its lane.
        """
        drawn = Lanes(lanes.opponents, self.folder.name.encode()).names
        return {name: self.folder / kept for name, kept in zip(lanes.names, drawn, strict=True)}

    def begin_comparison(self) -> None:
        """Record that this comparison is unfinished. If it is new, its bots begin without temporary files.

        Another comparison may have been stopped and have left some.
        """
        known = _read_experience(self.folder).unfinished
        if self.comparison not in known:
            self._remove_temporary()
            self._write(self.before.comparisons, self.before.games, (*known, self.comparison))

    def end_comparison(self, games: int) -> None:
        """Keep the files for the next comparison, except temporary ones, and record the number of games played."""
        self._remove_temporary()
        self._write(self.before.comparisons + 1, self.before.games + games, self.before.unfinished)

    # ---- inside

    def _remove_temporary(self) -> None:
        for temporary in self.folder.glob("*/tmp"):
            shutil.rmtree(temporary, ignore_errors=True)

    def _write(self, comparisons: int, games: int, unfinished: tuple[str, ...]) -> None:
        """Record the experience. If that fails, the next comparison shows less experience than its bots have."""
        path = self.folder / _EXPERIENCE_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_private_file(path, msgspec.json.encode(Experience(comparisons, games, unfinished)))
        except OSError as error:
            log.warning("the experience of the lanes cannot be written", path=str(path), fault=str(error))


def find_kept_state(values: Mapping[str, Any], folder: Path, comparison: str) -> KeptState | None:
    """Return what lanes have kept in `folder` for the request with these values; None if they are to keep nothing.

    `comparison` is the id of the comparison that begins or is continued.
    """
    if not values.get(KEEPS_STATE):
        return None
    owners = {name: values[name] for name in _OWNING_VALUES}
    kept = folder / f"kept-{hashlib.sha256(canonical_json(owners)).hexdigest()[:16]}"
    found = _read_experience(kept)
    others = tuple(each for each in found.unfinished if each != comparison)
    return KeptState(kept, Experience(found.comparisons, found.games, others), comparison)


def _read_experience(kept: Path) -> Experience:
    try:
        return msgspec.json.decode((kept / _EXPERIENCE_FILE).read_bytes(), type=Experience)
    except (OSError, msgspec.MsgspecError):  # no comparison has begun yet
        return Experience()
