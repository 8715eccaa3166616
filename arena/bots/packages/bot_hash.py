"""The content hash of a bot, so that another version cannot play under its name.

It is SHA-256 over the bot's start command, its environment and its files. The hash covers these files:

    a folder               all its files, except logs and those that Python, git and the SDK create
    a script or program    the file itself
    a command              each file that one of its words names
    a submitted bot        the files of its package, as `arena pack` counts them

A bot may write its logs into its folder: files NAME.log and NAME.log.1, and everything but code in the folder `logs`.
If it writes anything else there, such as notes from which it learns, it becomes another bot. The hash does not cover
the bot's location, its imports, or an interpreter found on the PATH.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.bots.launch.programs import BotProgram
from arena.errors import BotStartError
from cheatarena.folder_reader import is_ignored

_MACHINE_VARIABLES: Final = frozenset({"PATH", "VIRTUAL_ENV"})
"""Variables that depend on this machine. They are set for a bot that has a Python environment of its own."""
_MAX_BYTES: Final = 1 << 30
_LOGS_FOLDER: Final = "logs"
_LOG_NAME: Final = re.compile(r".+\.log(\.[0-9][0-9_-]*)?(\.(gz|bz2|xz|zst))?", re.DOTALL)
_CODE: Final = frozenset({".py", ".pyc", ".pyd", ".so", ".js", ".mjs", ".cjs", ".ts", ".class", ".jar"})
"""What programs import or load: no logs, wherever they are."""


def has_content(program: BotProgram, content: str) -> bool:
    """Return whether a bot has this hash, also by the rule of earlier releases, in which logs counted.

    Raises BotStartError as `hash_bot` does.
    """
    return content in (hash_bot(program), hash_bot(program, counts_logs=True))


def hash_bot(program: BotProgram, *, counts_logs: bool = False) -> str:
    """Return the hash in hex. Raises BotStartError if a file cannot be read or the files exceed a gibibyte."""
    if program.content:
        return program.content
    digest = hashlib.sha256()
    if _is_script_run_as_it_is(program):
        _update_digest(digest, b"run as it is")
    for word in program.words:
        _update_digest(digest, b"its file") if word is None else _update_digest(digest, b"word", _encode(word))
    for name, value in sorted(program.environment.items()):
        if name not in _MACHINE_VARIABLES:
            _update_digest(digest, b"environment", _encode(name), _encode(value))
    try:
        for path, content in _read_files(program, counts_logs=counts_logs):
            name = path.relative_to(program.folder).as_posix() if is_folder_bot(program) else path.name
            _update_digest(digest, b"file", os.fsencode(name), content)
    except OSError as error:  # the bot may be removing its own files
        raise BotStartError(f"the file {error.filename} cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def is_bot_file(program: BotProgram, path: Path) -> bool:
    """Return whether the path is among the files of a folder bot."""
    path, folder = path.resolve(), program.folder.resolve()
    return is_folder_bot(program) and path.is_relative_to(folder) and not _is_ignored(path.relative_to(folder), program)


def newest_file_name(program: BotProgram) -> str:
    """Return the name of the bot's newest file, relative to the bot's folder if the file is inside.

    Returns an empty name if the bot has no files, or if a file vanishes during the search.
    """
    try:
        newest = max(iter_files(program), key=lambda path: path.stat().st_mtime, default=None)
    except OSError:  # a file has vanished
        return ""
    if newest is None:
        return ""
    name = newest.relative_to(program.folder) if newest.is_relative_to(program.folder) else newest
    return os.fsencode(name.as_posix()).decode(errors="replace")


def iter_files(program: BotProgram, *, counts_logs: bool = False) -> Iterator[Path]:
    """Yield the bot's files, always in the same order."""
    if program.files is not None:
        yield from program.files
        return
    yield from (
        path
        for path in sorted(program.folder.rglob("*"))
        if path.is_file() and not _is_ignored(path.relative_to(program.folder), program, counts_logs=counts_logs)
    )


def _is_script_run_as_it_is(program: BotProgram) -> bool:
    """Return whether the bot is a Python script that the system starts directly, not with the arena's Python."""
    is_one_file = program.words == (None,) and len(program.command) == 1
    return is_one_file and program.files is not None and program.files[0].suffix == ".py"


def is_folder_bot(program: BotProgram) -> bool:
    """Return whether the bot consists of everything in its folder."""
    return program.files is None


def _is_ignored(path: Path, program: BotProgram, *, counts_logs: bool = False) -> bool:
    is_in_logs = path.parts[:1] == (_LOGS_FOLDER,) and path.suffix not in _CODE
    is_log = is_in_logs or _LOG_NAME.fullmatch(path.name) is not None
    return (is_log and not counts_logs) or is_ignored(path.parts, has_build=bool(program.build))


def _read_files(program: BotProgram, *, counts_logs: bool) -> Iterator[tuple[Path, bytes]]:
    """Yield the bot's files with their content. Raises OSError, and BotStartError if they exceed a gibibyte."""
    left = _MAX_BYTES
    for path in iter_files(program, counts_logs=counts_logs):
        with path.open("rb") as file:
            content = file.read(left + 1)
        left -= len(content)
        if left < 0:
            raise BotStartError(f"{program.name}: its files are larger than a gibibyte, up to {path}")
        yield path, content


def _encode(text: str) -> bytes:
    """Return the bytes of a text. They do not depend on the machine's locale."""
    return text.encode(errors="surrogateescape")


def _update_digest(digest: "hashlib._Hash", kind: bytes, *parts: bytes) -> None:
    for part in (kind, *parts):
        digest.update(len(part).to_bytes(8, "big") + part)
