"""Checks and unpacks archives: packages, and the results of builds."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from arena.bots.launch.manifest import MANIFEST_NAME, MAX_MANIFEST_BYTES
from arena.bots.packages.package_check import HashedFile, Package, check_manifest, hash_content
from arena.bots.packages.path_rules import PathSet, check_path
from arena.bots.packages.rules import BUILT_LIMITS, PackageLimits, Rule
from arena.bots.packages.tar_stream import ByteSource, EntryKind, InflatedBytes, TarEntry, read_entries
from arena.errors import PackageRefusedError

PACKAGE_LIMITS: Final = PackageLimits()
_FILE_MODE: Final = 0o644
_PROGRAM_MODE: Final = 0o755
_FOLDER_MODE: Final = 0o755
_FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def check_archive(archive: ByteSource, limits: PackageLimits = PACKAGE_LIMITS) -> Package:
    """Read an archive and return the package in it. Writes nothing. Raises PackageRefusedError."""
    return _read_package(_ArchiveReader(limits), archive)


def unpack(archive: ByteSource, folder: Path, limits: PackageLimits = PACKAGE_LIMITS) -> Package:
    """Unpack a package into a folder that does not exist yet, and return the package.

    Files get the mode 0644 or 0755. If the archive is refused, nothing is left of the folder. Raises
    PackageRefusedError, and OSError if the folder exists or cannot be written.
    """
    with _write_tree(folder) as writer:
        return _read_package(_ArchiveReader(limits, writer), archive)


def unpack_built(archive: ByteSource, folder: Path, limits: PackageLimits = BUILT_LIMITS) -> str:
    """Unpack the result of a build into a folder that does not exist yet, and return its content hash.

    The result may have relative symbolic links that stay inside, such as those in `node_modules/.bin`, and its names
    may look alike. Otherwise as `unpack`. GNU tar has to be told to write hard links as files (`--hard-dereference`).
    """
    with _write_tree(folder) as writer:
        reader = _ArchiveReader(limits, writer, allows_links=True)
        reader.read(archive)
        return hash_content(reader.files.values())


@contextmanager
def _write_tree(folder: Path) -> Iterator["_TreeWriter"]:
    """Open a new folder to write. If the block raises, remove the folder."""
    with _TreeWriter(folder) as writer:
        try:
            yield writer
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _read_package(reader: "_ArchiveReader", archive: ByteSource) -> Package:
    reader.read(archive)
    return Package(
        manifest=check_manifest(reader.manifest, reader.files),
        hash=hash_content(reader.files.values()),
        file_count=len(reader.files),
        byte_count=sum(file.size for file in reader.files.values()),
    )


class _ArchiveReader:
    """Reads one archive: checks, hashes and writes its entries."""

    def __init__(
        self, limits: PackageLimits, writer: "_TreeWriter | None" = None, *, allows_links: bool = False
    ) -> None:
        """Without a writer, entries are only checked."""
        self.files = dict[str, HashedFile]()
        """Files and links by path."""
        self.manifest: bytes | None = None
        """Content of the manifest at the top; None if there is none."""
        self._limits = limits
        self._writer = writer
        self._allows_links = allows_links
        self._paths = PathSet(limits)
        self._folder_count = 0
        self._links = list[tuple[tuple[str, ...], str]]()

    def read(self, archive: ByteSource) -> None:
        """Read the whole archive. Raises PackageRefusedError, and OSError if the folder cannot be written."""
        for entry, content in read_entries(InflatedBytes(archive, self._limits), self._limits):
            self._read_entry(entry, content)
        if self._writer is not None:
            for parts, target in self._links:  # last, so that no file is written through one
                self._writer.make_link(parts, target)

    def _read_entry(self, entry: TarEntry, content: Iterator[bytes]) -> None:
        path = _strip_here(entry.path)
        if entry.kind is EntryKind.FOLDER:
            self._count_folder()
            if not path:
                return  # the top itself
        parts = check_path(path, self._limits)
        match entry.kind:
            case EntryKind.FOLDER:
                self._paths.add_folder(parts)
                if self._writer is not None and self._allows_links:  # a bot may need an empty folder of its build
                    self._writer.make_folder(parts)
            case EntryKind.FILE:
                self._count_file()
                self._paths.add_leaf(parts)
                self._read_file(parts, entry, content)
            case EntryKind.LINK:
                self._count_file()
                self._paths.add_leaf(parts)
                self._read_link(parts, entry.target)

    def _read_file(self, parts: tuple[str, ...], entry: TarEntry, content: Iterator[bytes]) -> None:
        path, digest, kept = "/".join(parts), hashlib.sha256(), list[bytes]()
        if path == MANIFEST_NAME and entry.size > MAX_MANIFEST_BYTES:
            raise PackageRefusedError(Rule.MANIFEST, f"{MANIFEST_NAME} is larger than {MAX_MANIFEST_BYTES} bytes")

        def pass_on() -> Iterator[bytes]:
            for chunk in content:
                digest.update(chunk)
                if path == MANIFEST_NAME:
                    kept.append(chunk)
                yield chunk

        if self._writer is not None:
            self._writer.write_file(parts, pass_on(), is_program=entry.is_program)
        else:
            for _ in pass_on():
                pass
        if path == MANIFEST_NAME:
            self.manifest = b"".join(kept)
        mode = "program" if entry.is_program else "file"
        self.files[path] = HashedFile(path, mode, entry.size, digest.digest())

    def _read_link(self, parts: tuple[str, ...], target: str) -> None:
        path = "/".join(parts)
        if not self._allows_links:
            raise PackageRefusedError(Rule.LINK, f"the entry {path!r} is a symbolic link: put a copy in its place")
        _check_link_target(parts, target)
        self._links.append((parts, target))
        self.files[path] = HashedFile(path, "link", len(target.encode()), hashlib.sha256(target.encode()).digest())

    def _count_file(self) -> None:
        if len(self.files) >= self._limits.files:
            allowed = f"at most {self._limits.files:,}"
            raise PackageRefusedError(Rule.TOO_MANY_FILES, f"the package has too many files: {allowed}")

    def _count_folder(self) -> None:
        self._folder_count += 1
        if self._folder_count > self._limits.files:
            allowed = f"at most {self._limits.files:,}"
            raise PackageRefusedError(Rule.TOO_MANY_FILES, f"the package has too many folders: {allowed}")


def _strip_here(path: str) -> str:
    """Return a path without the `./` that many programs write first."""
    return "" if path == "." else path.removeprefix("./")


def _check_link_target(parts: tuple[str, ...], target: str) -> None:
    """Raise PackageRefusedError unless a link leads to a place inside the tree.

    `..` may only come first: behind a name, which may be a link too, nobody knows what `..` leads to.
    """
    steps = target.split("/")
    up = 0
    while up < len(steps) and steps[up] == "..":
        up += 1
    if target.startswith("/") or ".." in steps[up:] or up >= len(parts) or not target or "\0" in target:
        path = "/".join(parts)
        raise PackageRefusedError(Rule.LINK, f"the link {path!r} leads out of the built folder, to {target!r}")


class _TreeWriter:
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
