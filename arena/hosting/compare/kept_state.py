"""What lanes keep for the next comparison: the files that their bots wrote, if the user asks that they are kept.

The files belong to the programs and the table: candidate, baseline and opponents, each as its content hash, and the
terms. If any of these changes, all lanes begin with fresh files. So both programs always have equally much experience.
"""

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from arena.compare.lanes import Lanes
from arena.plain_data import canonical_json
from arena.plurals import format_count
from arena.store.data_folder import write_private_file

log = structlog.get_logger(__name__)

KEEPS_STATE: Final = "keep_state"
"""The value of a comparison's request that says that its lanes keep their files."""
_OWNING_VALUES: Final = ("programs", "opponents", "terms")
"""The values of the request to which the files belong."""
_EXPERIENCE_FILE: Final = "experience.json"


class Experience(msgspec.Struct, frozen=True):
    """The earlier comparisons whose files the lanes have kept."""

    comparisons: int = 0
    games: int = 0

    def describe(self) -> str:
        """Return the experience in words.

        >>> Experience().describe(), Experience(1, 192).describe()
        ('nothing', '192 games of 1 earlier comparison')
        """
        if not self.comparisons:
            return "nothing"
        return f"{format_count(self.games, 'game')} of {format_count(self.comparisons, 'earlier comparison')}"


@dataclass(frozen=True, slots=True)
class KeptState:
    """The files that lanes keep, and the experience with which this comparison begins."""

    folder: Path
    before: Experience

    def lane_folders(self, lanes: Lanes) -> Mapping[str, Path]:
        """Return the folder of each process by name. The same seat of the same lane gets the same folder each time.

        The folders have names that were drawn by lot once. So a path tells a bot neither its role nor its lane.
        """
        drawn = Lanes(lanes.opponents, self.folder.name.encode()).names
        return {name: self.folder / kept for name, kept in zip(lanes.names, drawn, strict=True)}

    def end_comparison(self, games: int) -> None:
        """Keep the files for the next comparison, except temporary ones, and record the number of games played.

        If the number cannot be written, the next comparison shows less experience than its bots have.
        """
        for temporary in self.folder.glob("*/tmp"):
            shutil.rmtree(temporary, ignore_errors=True)
        after = Experience(self.before.comparisons + 1, self.before.games + games)
        path = self.folder / _EXPERIENCE_FILE
        try:
            write_private_file(path, msgspec.json.encode(after))
        except OSError as error:
            log.warning("the experience of the lanes cannot be written", path=str(path), fault=str(error))


def find_kept_state(values: Mapping[str, Any], folder: Path) -> KeptState | None:
    """Return what lanes have kept in `folder` for the request with these values; None if they are to keep nothing."""
    if not values.get(KEEPS_STATE):
        return None
    owners = {name: values[name] for name in _OWNING_VALUES}
    kept = folder / f"kept-{hashlib.sha256(canonical_json(owners)).hexdigest()[:16]}"
    try:
        before = msgspec.json.decode((kept / _EXPERIENCE_FILE).read_bytes(), type=Experience)
    except (OSError, msgspec.MsgspecError):  # no comparison has ended yet
        before = Experience()
    return KeptState(kept, before)
