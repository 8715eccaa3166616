"""Reads the files of a bot's folder that belong to its package, and never through a link."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cheatarena.errors import PackageError

MOST_FILES: Final = 2_000
"""The most files of a package. An organizer may take more, on the web pages alone."""
MEBIBYTE: Final = 1 << 20
MOST_BYTES: Final = 64 * MEBIBYTE
"""The most bytes of all files of a package together, as MOST_FILES."""
IGNORED_FOLDERS: Final = frozenset({
    ".venv", ".git", "__pycache__", "node_modules", ".mypy_cache", ".pytest_cache", ".ruff_cache",
})  # fmt: skip
"""Folders that Python, git and other programs create, wherever they are."""
BUILD_OUTPUT_FOLDERS: Final = frozenset({"target", "build", "dist", "bin", "obj", "out"})
"""Folders for the output of a bot's `build` command. A bot with such a command consists of its sources alone."""
RECEIPTS_FOLDER: Final = "receipts"
"""The top-level folder that receives the SDK's receipts."""

_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_READ_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | _NO_FOLLOW
"""`O_NONBLOCK`, because opening a pipe would wait for its other end."""
_FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_HAS_FOLDER_DESCRIPTORS: Final = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_SPECIAL_BITS: Final = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a folder."""

    path: str
    """Relative to the folder, with slashes."""
    is_program: bool
    """Whether its owner may execute it."""
    content: bytes
    """All that is in it."""


def is_ignored(parts: tuple[str, ...], *, has_build: bool) -> bool:
    """Return whether a path relative to a bot's folder is no part of the bot. `has_build`: it has a `build` command."""
    ignored = IGNORED_FOLDERS | BUILD_OUTPUT_FOLDERS if has_build else IGNORED_FOLDERS
    return parts[:1] == (RECEIPTS_FOLDER,) or not ignored.isdisjoint(parts)


class FolderReader:
    """Reads the files of one folder.

    Each folder is opened through its parent's file descriptor, so one swapped for a link meanwhile leads nowhere.
    Systems without such descriptors open files by path.
    """

    def __init__(self, folder: Path, most_files: int, most_bytes: int, *, has_build: bool) -> None:
        self._folder = folder
        self._has_build = has_build
        self._most_files, self._most_bytes = most_files, most_bytes
        self._file_count, self._left_bytes = 0, most_bytes

    def read(self) -> Iterator[SourceFile]:
        """Yield the files, in the order of their names, folder by folder.

        Raises PackageError for links, special files, and more files or bytes than allowed; and OSError.
        """
        top = os.open(self._folder, _FOLDER_FLAGS) if _HAS_FOLDER_DESCRIPTORS else None
        yield from self._read_folder((), top)

    def _read_folder(self, parts: tuple[str, ...], descriptor: int | None) -> Iterator[SourceFile]:
        """Yield the files below a folder, and close its descriptor."""
        try:
            with os.scandir(self._folder.joinpath(*parts) if descriptor is None else descriptor) as entries:
                found = sorted(entries, key=lambda each: each.name)
            for entry in found:
                inner = (*parts, entry.name)
                if not is_ignored(inner, has_build=self._has_build):
                    yield from self._read_entry(entry, inner, descriptor)
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _read_entry(
        self, entry: "os.DirEntry[str]", parts: tuple[str, ...], descriptor: int | None
    ) -> Iterator[SourceFile]:
        path = "/".join(parts)
        if entry.is_symlink():
            raise PackageError("link", f"{path!r} is a symbolic link: put a copy in its place")
        if entry.is_dir(follow_symlinks=False):
            inner = None if descriptor is None else os.open(entry.name, _FOLDER_FLAGS | _NO_FOLLOW, dir_fd=descriptor)
            yield from self._read_folder(parts, inner)
        elif entry.is_file(follow_symlinks=False):
            place = self._folder.joinpath(*parts) if descriptor is None else entry.name
            yield self._read_file(os.open(place, _READ_FLAGS, dir_fd=descriptor), path)
        else:
            raise PackageError("special_file", f"{path!r} is a device, a pipe or a socket")

    def _read_file(self, descriptor: int, path: str) -> SourceFile:
        with os.fdopen(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):  # it was replaced after the folder was listed
                raise PackageError("special_file", f"{path!r} is a device, a pipe or a socket")
            if mode & _SPECIAL_BITS:
                raise PackageError("special_mode", f"{path!r} is set-uid, set-gid or sticky (chmod a-st)")
            content = file.read(self._left_bytes + 1)
        self._file_count, self._left_bytes = self._file_count + 1, self._left_bytes - len(content)
        if self._file_count > self._most_files:
            allowed = f"at most {self._most_files:,}"
            raise PackageError("too_many_files", f"the folder has too many files: {allowed}")
        if self._left_bytes < 0:
            allowed = f"at most {self._most_bytes // MEBIBYTE} MB"
            raise PackageError("too_large", f"the files are too large, up to {path!r}: {allowed}")
        return SourceFile(path, bool(mode & stat.S_IXUSR), content)
