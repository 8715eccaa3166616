"""Keeps the archives of accepted packages as files, by content hash."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from arena.ids import new_id
from arena.server.store.submission_reader import SubmissionReader


def open_packages(data: Path) -> "StoredPackages":
    """Return the archives of a data folder."""
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

        Another process may hand in the same package meanwhile. So the archive goes aside first, and comes back if it is
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
