"""Removes what was built of submissions that nobody needs any more."""

import asyncio
import shutil
from pathlib import Path
from typing import Final

from arena.fleet.runner.boxed_builds import is_part
from arena.fleet.submissions.submitted_programs import build_path, builds_folder
from arena.server.intake.package_files import open_packages
from arena.server.store.submission_reader import SubmissionReader

DAYS_KEPT: Final = 30
"""For how many days a withdrawn version stays built: a league may have sealed it."""
KEPT_AFTER_WITHDRAWAL_S: Final = DAYS_KEPT * 86_400.0


class Cleanup:
    """Removes archives and built programs of a data folder."""

    def __init__(self, data: Path, reader: SubmissionReader) -> None:
        self._data = data
        self._reader = reader

    async def discard_untried(self, package: str) -> None:
        """Remove the archive and the built program of a package that was refused, or withdrawn before it could play.

        They stay if another submission needs them.

        Raises StoreError and OSError.
        """
        if await self._reader.unneeded_since(package) is not None:
            await open_packages(self._data).discard_unneeded(package, self._reader)
            await asyncio.to_thread(shutil.rmtree, build_path(self._data, package), ignore_errors=True)

    async def discard_old(self, now: float) -> None:
        """Remove the built programs that no submission has needed for a month.

        No submission may be taken meanwhile. `now` is in seconds since 1970.

        Raises StoreError and OSError.
        """
        for place in self._list_builds():
            since = await self._reader.unneeded_since(place.name)
            if since is not None and now - since > KEPT_AFTER_WITHDRAWAL_S:
                await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    async def discard_parts(self) -> None:
        """Remove the parts of builds that were killed. Nothing may be built meanwhile. Raises OSError."""
        for place in filter(is_part, self._list_builds()):
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    def _list_builds(self) -> list[Path]:
        folder = builds_folder(self._data)
        return sorted(folder.iterdir()) if folder.is_dir() else []
