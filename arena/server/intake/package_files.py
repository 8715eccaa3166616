"""The files of packages: what has arrived of each upload, and the archives of accepted packages by content hash."""

import asyncio
import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.ids import new_id
from arena.server.store.submission_reader import SubmissionReader

_APPEND: Final = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class UploadFile:
    """What has arrived of an archive. Every method raises OSError; all but `create`, FileNotFoundError if it has ended.

    Several streams may bring the same archive at once, in several processes. A byte that has arrived never changes, so
    the file is complete when all bytes are there, and the same from then on.
    """

    def __init__(self, folder: Path, upload_id: str) -> None:
        self.path = folder / f"{upload_id}.part"

    def create(self) -> None:
        """Do nothing if the file is there."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, _APPEND | os.O_CREAT, 0o600))

    def size(self) -> int:
        return self.path.stat().st_size

    def write(self, data: bytes, offset: int) -> None:
        """Add the bytes from an offset on that have not arrived yet. The offset is not beyond the end of the file."""
        import fcntl  # noqa: PLC0415  there is none on Windows, which runs no submitted bots

        with os.fdopen(os.open(self.path, _APPEND), "ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            rest = memoryview(data)[max(0, os.fstat(file.fileno()).st_size - offset) :]
            while rest:
                rest = rest[file.write(rest) :]

    def sync(self) -> str:
        """Write the file to the disk, and return its SHA-256 in hex."""
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
            return hashlib.file_digest(file, "sha256").hexdigest()

    def discard(self) -> None:
        """Do nothing if there is no file."""
        self.path.unlink(missing_ok=True)


def open_packages(data: Path) -> "StoredPackages":
    return StoredPackages(data / "submissions" / "packages")


class StoredPackages:
    """The archives in a folder. Every method raises OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, package: str) -> Path:
        """Return where the archive with a content hash is, or would be."""
        return self._folder / f"{package}.tar.gz"

    def keep(self, archive: Path, package: str) -> None:
        """Keep an archive, which stays where it is too. Once this returns, it is on the disk, whole."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):  # the same content is the same package, however it was compressed
            os.link(archive, self.path(package), follow_symlinks=False)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    async def discard_unneeded(self, package: str, reader: SubmissionReader) -> None:
        """Remove an archive that no submission needs: each is refused or withdrawn. Raises StoreError too.

        Another process may submit the same package meanwhile. So the archive goes aside first, and comes back if it is
        needed after all.
        """
        if await reader.has_package(package):
            return
        kept, aside = self.path(package), self._folder / f"{package}.{new_id()}.gone"
        try:
            await asyncio.to_thread(kept.replace, aside)
        except FileNotFoundError:
            return
        if await reader.has_package(package):
            await asyncio.to_thread(aside.replace, kept)
        else:
            await asyncio.to_thread(aside.unlink)
