"""The private files of a bot's process: a copy of the bot's folder, a home folder and a folder for temporary files.

A bot that is not a folder (a script, a program, a command) runs in place. Large parts that do not change during play
are linked instead of copied: the bot's Python environment and its Node.js modules.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.bots.launch.programs import BotProgram
from arena.bots.packages.bot_hash import is_folder_bot
from arena.errors import EnvironmentFaultError

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
    own = replace(program, own_place=place)
    try:
        for folder in own.private_variables.values():
            Path(folder).mkdir(parents=True, exist_ok=True)
        return _relocate(own, _copy_folder(program.folder, place / "bot")) if is_folder_bot(program) else own
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
