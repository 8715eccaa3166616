"""One process's private files: a copy of the bot's folder, a home folder and a folder for temporary files.

Several processes of one program play the same deal in different seats. Private files keep these processes from
sharing knowledge by accident. Only boxes stop deliberate sharing. A bot that is not a folder (a script, a program, a
command) runs in place. Large parts that do not change during play are linked instead of copied: the bot's Python
environment and its Node.js modules.

If the user asks for it, lanes keep the files that their bots wrote for the next comparison. The files belong to the
programs and the table: candidate, baseline and opponents, each as its content hash, and the terms. If any of these
changes, all lanes begin with fresh files. So both programs always have equally much experience: with files for each
program, a changed candidate would begin anew against a baseline that has played before.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.bots.launch.programs import BotProgram
from arena.bots.packages.bot_hash import is_folder_bot
from arena.competition.compare.lanes import Lanes
from arena.errors import EnvironmentFaultError
from arena.log_lines import get_logger
from arena.plain_data import canonical_json
from arena.plurals import format_count
from arena.server.store.data_folder import write_private_file

_LINKED: Final = (".venv", "node_modules")
_IGNORED: Final = frozenset({".git", "__pycache__"})
"""Names left out at any depth."""
_IGNORED_AT_TOP: Final = _IGNORED.union({"receipts"}, _LINKED)


def make_private_copy(program: BotProgram, place: Path) -> BotProgram:
    """Return the program relocated to its private copy in `place`, which is created or reused.

    A program in a box is returned as it is: it can write into the scratch space of its own box and nowhere else.
    Raises EnvironmentFaultError if the copy cannot be written.
    """
    if program.is_boxed:
        return program
    try:
        for name in ("home", "tmp"):
            (place / name).mkdir(parents=True, exist_ok=True)
        own = {**program.environment, "HOME": str(place / "home"), "TMPDIR": str(place / "tmp")}
        if not is_folder_bot(program):
            return replace(program, environment=own)
        return _relocate(replace(program, environment=own), _copy_folder(program.folder, place / "bot"))
    except OSError as error:
        # `shutil` collects many errors; the first will do
        text = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror
        raise EnvironmentFaultError(f"{program.name} cannot be copied to {place}: {text}") from error


def _copy_folder(folder: Path, copy: Path) -> Path:
    """Copy a folder unless the copy exists, and return the copy. A copy that was interrupted is made again."""
    if not copy.exists():
        half = copy.with_name("half")
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(
            folder,
            half,
            symlinks=True,
            ignore=lambda at, names: (_IGNORED_AT_TOP if Path(at) == folder else _IGNORED).intersection(names),
        )
        half.rename(copy)
    _link_large_parts(folder, copy)
    return copy


def _link_large_parts(folder: Path, copy: Path) -> None:
    """Link the parts that are not copied. The links of a copy that was kept may lead to where the bot was before."""
    for name in _LINKED:
        link, part = copy / name, (folder / name).resolve()
        if link.is_symlink() and link.readlink() != part:
            link.unlink()
        if part.exists() and not link.exists():
            link.symlink_to(part)


def _relocate(program: BotProgram, copy: Path) -> BotProgram:
    """Return the program as it runs from its copy."""
    folder = str(program.folder)
    words = (_relocate_word(word, folder, copy) for word in program.command)
    environment: Mapping[str, str] = {
        name: os.pathsep.join(_relocate_word(part, folder, copy) for part in value.split(os.pathsep))
        for name, value in program.environment.items()
    }
    return replace(program, command=tuple(words), folder=copy, environment=environment)


def _relocate_word(word: str, folder: str, copy: Path) -> str:
    return str(copy) + word[len(folder) :] if word == folder or word.startswith(folder + os.sep) else word


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
