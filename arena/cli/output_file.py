"""Writes files whose paths the user gives. Such a path may also name a stream, such as /dev/stdout."""

import os
import re
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from arena.cli.console import print_status
from arena.errors import EnvironmentFaultError

_STANDARD_STREAMS: Final = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR_PATTERN: Final = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,9})")


def _descriptor_of(path: Path) -> int | None:
    """Return the open descriptor that a path names, or None.

    A path to the file behind stdout gives 1, as /dev/stdout does. For stderr, the number is 2.
    """
    text = str(path)
    if text in _STANDARD_STREAMS:
        return _STANDARD_STREAMS[text]
    if (named := _DESCRIPTOR_PATTERN.fullmatch(text)) is not None:
        return int(named[1])
    with suppress(OSError, ValueError):
        found = path.stat()
        return next((fd for fd in (1, 2) if os.path.samestat(found, os.fstat(fd))), None)
    return None


def is_stream(path: Path) -> bool:
    """Return whether a path is a descriptor, device or pipe. Such a path is never emptied or replaced."""
    if _descriptor_of(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def check_writable(path: Path) -> None:
    """Check that a file can be written, and remove everything that the check creates. Raises EnvironmentFaultError."""
    if is_stream(path):
        return
    new_folders = [folder for folder in path.parents if not os.path.lexists(folder)]
    is_new = not os.path.lexists(path)
    try:
        write_file(path, "", mode="a")
        if is_new:
            path.unlink()
    finally:
        for folder in new_folders:  # the innermost first
            with suppress(OSError):
                folder.rmdir()


def write_file(path: Path, text: str, mode: Literal["w", "a"] = "w") -> None:
    """Write a file or append to it. Create its folder if it does not exist. Raises EnvironmentFaultError.

    A stream such as /dev/stdout is never emptied. If the stream is closed or full, nothing is raised, so that the
    command still returns its verdict.
    """
    leads_to_stream = is_stream(path)
    try:
        if leads_to_stream:
            _write_to_stream(path, text)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        if not leads_to_stream:
            is_blocked = isinstance(error, FileExistsError | NotADirectoryError)
            why = "a file is where its folder should be" if is_blocked else error.strerror
            raise EnvironmentFaultError(f"{path} cannot be written: {why}") from error
        if not isinstance(error, BrokenPipeError):
            print_status(f"{path} cannot be written: {error.strerror}")


def _write_to_stream(path: Path, text: str) -> None:
    """Write at the current position of the stream, after everything that this process has printed."""
    descriptor = _descriptor_of(path)
    if descriptor is None:
        with path.open("w", encoding="utf-8") as stream:
            stream.write(text)
        return
    sys.stdout.flush()
    with os.fdopen(os.dup(descriptor), "w", encoding="utf-8") as stream:
        stream.write(text)
