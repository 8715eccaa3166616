"""How much disk the built programs of one owner may take, and how much of it has to stay free."""

import asyncio
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.bots.packages.rules import BUILT_LIMITS, MEBIBYTE, format_size
from arena.bots.submissions.submission import FINAL, Submission
from arena.errors import EnvironmentFaultError
from arena.fleet.submissions.cleanup import DAYS_KEPT
from arena.fleet.submissions.submitted_programs import build_path
from arena.server.store.submission_reader import SubmissionReader

FREE_BYTES: Final = 2 * BUILT_LIMITS.unpacked_bytes
"""No build begins while less of the disk is free. For each further build at once, another half of it has to be."""
_MOST_ROWS: Final = 10_000


class DiskQuota:
    """Bounds what submissions keep on the disk of a data folder."""

    def __init__(self, data: Path, reader: SubmissionReader, stored_mb: int, builds_at_once: int = 1) -> None:
        """`stored_mb` is how many megabytes the built programs of one owner may have."""
        self._free_bytes = FREE_BYTES + (builds_at_once - 1) * BUILT_LIMITS.unpacked_bytes
        self._data = data
        self._reader = reader
        self._stored_bytes = stored_mb * MEBIBYTE

    def check_free(self) -> None:
        """Raise EnvironmentFaultError if too little of the disk is free for another build."""
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
        f"with it, what was built of {whose} has {format_size(size)}, and {format_size(allowed)} are allowed: `kept` in"
        f" bot.toml leaves out what is not needed, or {way_out}"
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
