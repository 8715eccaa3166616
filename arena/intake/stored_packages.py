"""Keeps the archives of accepted packages as files, by content hash."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from arena.store.submission_reader import SubmissionReader


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

    def _discard(self, package: str) -> None:
        self.path(package).unlink(missing_ok=True)

    async def discard_unneeded(self, package: str, reader: SubmissionReader) -> None:
        """Remove an archive that no submission needs: each is refused or withdrawn. Raises StoreError too."""
        if not await reader.has_package(package):
            await asyncio.to_thread(self._discard, package)
