"""Bots on their way to another machine: packed, unpacked in a folder named by the content hash, and checked there."""

import io
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from arena.bots.launch.programs import BotProgram
from arena.bots.packages.bot_hash import has_content, is_folder_bot
from arena.bots.packages.rules import BUILT_LIMITS
from arena.bots.packages.unpacking import unpack_built
from arena.errors import BotStartError, PackageRefusedError
from cheatarena.errors import PackageError
from cheatarena.folder_reader import FolderReader, SourceFile
from cheatarena.packing import check_utf8, write_archive

_OWN_ENVIRONMENTS = (".venv", "node_modules")


def pack_program(program: BotProgram) -> bytes:
    """Return the archive (tar.gz) of a program's files. Raises BotStartError if it cannot be sent."""
    own = next((name for name in _OWN_ENVIRONMENTS if is_folder_bot(program) and (program.folder / name).exists()), "")
    if own:
        raise BotStartError(f"{program.name} cannot play on a cluster: its {own} stays on this machine")
    archive = io.BytesIO()
    try:
        write_archive(archive, _read_files(program), check_utf8)
    except PackageError as error:
        raise BotStartError(f"{program.name} cannot be sent to a cluster: {error}") from error
    except OSError as error:
        raise BotStartError(f"{program.name}: {error.filename} cannot be read: {error.strerror}") from error
    return archive.getvalue()


def unpack_program(program: BotProgram, python: str, content: str, archive: bytes, folder: Path) -> BotProgram:
    """Return a program of another machine as it is here, unpacked below `folder` unless it was before.

    `python` is the Python of the other machine, `content` the hash of the program there. Raises BotStartError if the
    program cannot run here or is not the same.
    """
    place = folder / content
    try:
        if not place.exists():
            folder.mkdir(exist_ok=True)
            unpack_built(io.BytesIO(archive), place)
    except (PackageRefusedError, OSError) as error:
        raise BotStartError(f"{program.name} cannot be unpacked: {error}") from error
    here = _move(program, python, place)
    if not has_content(here, content):
        raise BotStartError(f"{program.name} was not started: its files have changed")
    return here


def _read_files(program: BotProgram) -> Iterator[SourceFile]:
    if program.files is None:
        yield from FolderReader(
            program.folder, BUILT_LIMITS.files, BUILT_LIMITS.unpacked_bytes, has_build=bool(program.build)
        ).read()
        return
    names = [path.name for path in program.files]
    if len({*names}) < len(names):
        raise PackageError("duplicate", "two of its files have the same name")
    for path in program.files:
        yield SourceFile(path.name, bool(path.stat().st_mode & 0o100), path.read_bytes())


def _move(program: BotProgram, python: str, folder: Path) -> BotProgram:
    """Return a program with its paths in another folder. Raises BotStartError if its interpreter is missing here."""

    def move(word: str) -> str:
        path = program.folder / word
        if program.files is not None:
            return str(folder / path.name) if path in program.files else word
        is_inside = Path(word).is_absolute() and path.is_relative_to(program.folder)
        return str(folder / path.relative_to(program.folder)) if is_inside else word

    command = tuple(map(move, program.command))
    if command[0] == program.command[0]:
        command = (_find_interpreter(program, python), *command[1:])
    files = None if program.files is None else tuple(folder / path.name for path in program.files)
    return replace(program, command=command, folder=folder, files=files)


def _find_interpreter(program: BotProgram, python: str) -> str:
    """Return the place of a program that was not sent. Raises BotStartError if it is missing."""
    word = program.command[0]
    if word == python:
        return sys.executable
    found = shutil.which(Path(word).name)
    if found is None:
        raise BotStartError(f"{program.name} needs the program {Path(word).name!r}, which is not installed")
    return found
