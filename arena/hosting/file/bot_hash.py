"""The content hash of a bot, so that another version cannot play under its name.

It is SHA-256 over how the bot is started, its environment and its files. Of a folder all files count, but for what
Python, git and the SDK leave there (a bot that keeps notes of its own keeps them elsewhere, or is another bot
afterwards); of a script or program the file itself; of a command its words and each file that is one of them. Where a
bot lies does not count, nor what it imports, nor a program on the path that runs it.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.errors import BotStartError
from arena.launch.programs import BotProgram

_IGNORED_FOLDERS: Final = frozenset({
    ".venv", ".git", "__pycache__", "node_modules", ".mypy_cache", ".pytest_cache", ".ruff_cache",
})  # fmt: skip
_RECEIPTS_FOLDER: Final = "receipts"
"""Where the SDK leaves them, in the folder itself."""
_BUILD_OUTPUT_FOLDERS: Final = frozenset({"target", "build", "dist", "bin", "obj", "out"})
"""Where a bot with a `build` of its own puts what it makes of its sources, which count."""
_MACHINE_VARIABLES: Final = frozenset({"PATH", "VIRTUAL_ENV"})
"""What finding a bot's own Python adds of this machine."""
_MAX_BYTES: Final = 1 << 30


def hash_bot(program: BotProgram) -> str:
    """Give the hash, hex. Raises BotStartError where a file cannot be read, or there is far too much."""
    digest = hashlib.sha256()
    if _is_script_run_as_it_is(program):
        _update_digest(digest, b"run as it is")
    for word in program.words:
        _update_digest(digest, b"its file") if word is None else _update_digest(digest, b"word", _encode(word))
    for name, value in sorted(program.environment.items()):
        if name not in _MACHINE_VARIABLES:
            _update_digest(digest, b"environment", _encode(name), _encode(value))
    try:
        for path, content in _read_files(program):
            _update_digest(digest, b"file", os.fsencode(_name_in_hash(path, program)), content)
    except OSError as error:  # a bot may write and remove what it likes meanwhile
        raise BotStartError(f"the file {error.filename} cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def is_bot_file(program: BotProgram, path: Path) -> bool:
    """Tell whether what lies there is among a bot's files."""
    path, folder = path.resolve(), program.folder.resolve()
    return is_folder_bot(program) and path.is_relative_to(folder) and not _is_ignored(path.relative_to(folder), program)


def newest_file_name(program: BotProgram) -> str:
    """Name the file of a bot that was written last; empty: it has none of its own, or they do not stay."""
    try:
        newest = max(iter_files(program), key=lambda path: path.stat().st_mtime, default=None)
    except OSError:  # it is gone by now
        return ""
    return "" if newest is None else os.fsencode(_display_name(newest, program)).decode(errors="replace")


def iter_files(program: BotProgram) -> Iterator[Path]:
    """Its files, always in the same order."""
    if program.files is not None:
        yield from program.files
        return
    yield from (
        path
        for path in sorted(program.folder.rglob("*"))
        if path.is_file() and not _is_ignored(path.relative_to(program.folder), program)
    )


def _is_script_run_as_it_is(program: BotProgram) -> bool:
    """Whether it is a Python script that is a command by itself: its first line says what runs it, not the arena."""
    is_one_file = program.words == (None,) and len(program.command) == 1
    return is_one_file and program.files is not None and program.files[0].suffix == ".py"


def is_folder_bot(program: BotProgram) -> bool:
    """Whether all that lies in its folder is the bot."""
    return program.files is None


def _is_ignored(path: Path, program: BotProgram) -> bool:
    """Whether what lies at that path in its folder is no part of it."""
    left = _IGNORED_FOLDERS | _BUILD_OUTPUT_FOLDERS if program.build else _IGNORED_FOLDERS
    return path.parts[:1] == (_RECEIPTS_FOLDER,) or not left.isdisjoint(path.parts)


def _name_in_hash(path: Path, program: BotProgram) -> str:
    """Name a file as it lies in the bot's folder, or by its last name where the folder is none of it."""
    return path.relative_to(program.folder).as_posix() if program.files is None else path.name


def _display_name(path: Path, program: BotProgram) -> str:
    """Name a file for people, who may have to look for it."""
    return (path.relative_to(program.folder) if path.is_relative_to(program.folder) else path).as_posix()


def _read_files(program: BotProgram) -> Iterator[tuple[Path, bytes]]:
    """Give its files and what is in them. Raises OSError, and BotStartError where there is far too much."""
    left = _MAX_BYTES
    for path in iter_files(program):
        with path.open("rb") as file:
            content = file.read(left + 1)
        left -= len(content)
        if left < 0:
            raise BotStartError(f"{program.name}: its files are larger than a gibibyte, up to {path}")
        yield path, content


def _encode(text: str) -> bytes:
    """The same whatever the language of the machine is."""
    return text.encode(errors="surrogateescape")


def _update_digest(digest: "hashlib._Hash", kind: bytes, *parts: bytes) -> None:
    for part in (kind, *parts):
        digest.update(len(part).to_bytes(8, "big") + part)
