"""Writes the files of a package into a new folder, and never through a link."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_FILE_MODE: Final = 0o644
_PROGRAM_MODE: Final = 0o755
_FOLDER_MODE: Final = 0o755
_FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


class TreeWriter:
    """Creates a folder and writes into it. Use it as a context manager. Every method raises OSError.

    Each folder is opened inside its parent's file descriptor, so no path leads out of the new folder, whatever links
    are in it.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._root = os.open(folder, _FOLDER_FLAGS)
        os.fchmod(self._root, _FOLDER_MODE)
        self._open_parts: tuple[str, ...] = ()
        self._open_folder = os.dup(self._root)
        """The folder of the last file. Archives list files folder by folder."""

    def write_file(self, parts: tuple[str, ...], chunks: Iterable[bytes], *, is_program: bool) -> None:
        """Write a file that does not exist yet."""
        mode = _PROGRAM_MODE if is_program else _FILE_MODE
        file = os.open(parts[-1], _FILE_FLAGS, mode, dir_fd=self._enter(parts[:-1]))
        with os.fdopen(file, "wb") as writing:
            os.fchmod(file, mode)  # whatever the umask is
            for chunk in chunks:
                writing.write(chunk)

    def make_folder(self, parts: tuple[str, ...]) -> None:
        """Make a folder, unless it exists."""
        self._enter(parts)

    def make_link(self, parts: tuple[str, ...], target: str) -> None:
        """Make a symbolic link. Make links after all files, so that no file meets one."""
        os.symlink(target, parts[-1], dir_fd=self._enter(parts[:-1]))

    def _enter(self, parts: tuple[str, ...]) -> int:
        """Return the descriptor of a folder; make the folders on the way that do not exist."""
        if parts != self._open_parts:
            folder = os.dup(self._root)
            for name in parts:
                try:
                    inner = _open_or_make(name, folder)
                finally:
                    os.close(folder)
                folder = inner
            os.close(self._open_folder)
            self._open_parts, self._open_folder = parts, folder
        return self._open_folder

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._open_folder)
        os.close(self._root)


def _open_or_make(name: str, parent: int) -> int:
    """Return the descriptor of a folder in an open folder. Its mode does not depend on the umask."""
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
    folder = os.open(name, _FOLDER_FLAGS, dir_fd=parent)
    os.fchmod(folder, _FOLDER_MODE)
    return folder
