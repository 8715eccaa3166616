"""Keeps submissions within their share of the disk, and removes what nobody needs any more."""

import asyncio
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.bots.packages.rules import BUILT_LIMITS, MEBIBYTE, format_size
from arena.bots.submissions.submission import FINAL, Submission
from arena.errors import EnvironmentFaultError
from arena.fleet.runner.boxed_builds import is_part
from arena.fleet.submissions.submitted_programs import build_path, builds_folder
from arena.server.intake.package_files import open_packages
from arena.server.store.submission_reader import SubmissionReader

FREE_BYTES: Final = 2 * BUILT_LIMITS.unpacked_bytes
"""No build begins while less of the disk is free. For each further build at once, another half of it has to be."""
_MOST_ROWS: Final = 10_000
DAYS_KEPT: Final = 30
"""For how many days a withdrawn version stays built: a league may have sealed it."""
KEPT_AFTER_WITHDRAWAL_S: Final = DAYS_KEPT * 86_400.0


class DiskQuota:
    def __init__(self, data: Path, reader: SubmissionReader, stored_mb: int, builds_at_once: int = 1) -> None:
        """`stored_mb` is how many megabytes the built programs of one owner may have."""
        self._free_bytes = FREE_BYTES + (builds_at_once - 1) * BUILT_LIMITS.unpacked_bytes
        self._data = data
        self._reader = reader
        self._stored_bytes = stored_mb * MEBIBYTE

    def check_free(self) -> None:
        """Raises EnvironmentFaultError if too little of the disk is free for another build."""
        free = shutil.disk_usage(self._data).free
        if free < self._free_bytes:
            raise EnvironmentFaultError(
                f"builds wait: {format_size(free)} of the disk are free, less than {format_size(self._free_bytes)}"
            )

    async def find_excess(self, submission: Submission) -> str:
        """Return a sentence if the built programs of a submission's owner are too large together, or else nothing.

        Withdrawn versions stay built for a while. With those, an owner has twice as much space. Raises StoreError.
        """
        rows = await self._reader.list_owned(submission.owner, limit=_MOST_ROWS)
        packages = {row.package for row in rows}
        needed = {row.package for row in rows if row.state not in FINAL}
        sizes = await asyncio.to_thread(
            lambda: {each: measure_folder(build_path(self._data, each)) for each in packages}
        )
        kept = sum(sizes[each] for each in needed)
        if kept > self._stored_bytes:
            return _describe_excess("your versions", kept, self._stored_bytes, "withdraw old versions")
        built = sum(sizes.values())
        if built > 2 * self._stored_bytes:
            whose = f"your versions and of those withdrawn within {DAYS_KEPT} days"
            return _describe_excess(whose, built, 2 * self._stored_bytes, "wait until those are removed")
        return ""


def _describe_excess(whose: str, size: int, allowed: int, way_out: str) -> str:
    return (
        f"with it, what was built of {whose} has {format_size(size)}, more than the {format_size(allowed)} allowed: "
        f"`kept` in bot.toml leaves out what is not needed, or {way_out}"
    )


def measure_folder(folder: Path) -> int:
    """Return the bytes of all files in a folder, without following links; 0 if it is not there.

    It may be removed meanwhile, because its version is withdrawn.
    """
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                size += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118  paths take ten times as long
    return size


class Cleanup:
    def __init__(self, data: Path, reader: SubmissionReader) -> None:
        self._data = data
        self._reader = reader

    async def discard_untried(self, package: str) -> None:
        """The package was refused, or withdrawn before it could play.

        Nothing is removed that another submission needs. Raises StoreError and OSError.
        """
        if await self._reader.unneeded_since(package) is not None:
            await open_packages(self._data).discard_unneeded(package, self._reader)
            await asyncio.to_thread(shutil.rmtree, build_path(self._data, package), ignore_errors=True)

    async def discard_old(self, now: float) -> None:
        """`now` is in seconds since 1970. No submission may be taken meanwhile.

        Programs count as old if no submission has needed them for a month. Raises StoreError and OSError.
        """
        for place in self._list_builds():
            since = await self._reader.unneeded_since(place.name)
            if since is not None and now - since > KEPT_AFTER_WITHDRAWAL_S:
                await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    async def discard_parts(self) -> None:
        """Remove what is left of builds that were killed. Nothing may be built meanwhile. Raises OSError."""
        for place in filter(is_part, self._list_builds()):
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    def _list_builds(self) -> list[Path]:
        folder = builds_folder(self._data)
        return sorted(folder.iterdir()) if folder.is_dir() else []
