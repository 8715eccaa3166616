"""Measures how much room a data folder takes and how fast it grows, and foresees when its disk is full."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.ids import ID_LENGTH, WallTime, id_time
from arena.server.store.data_folder import DATABASE_FILE, JOURNALS_FOLDER, PACKED_FOLDER
from arena.server.store.packed_journals import list_journals

DAY_S: Final = 86_400.0
_FRESH_S: Final = 60.0
"""Seconds for which measured sizes are shown again: a folder may have many thousand files."""


@dataclass(frozen=True, slots=True)
class FolderSizes:
    """Sizes are in bytes."""

    journals: int
    packed: int
    """Archives of old journals."""
    database: int
    submissions: int
    """Packages, what was built of them, and uploads."""
    other: int
    free: int
    """Free on the disk of the data folder."""
    disk: int
    """The size of this disk."""
    growth_a_day: int
    """What journals and database grew by in the last 24 hours: the journals as written, the database in proportion."""

    @property
    def days_left(self) -> float | None:
        """Return in how many days the disk is full at this pace; None if nothing grows."""
        return self.free / self.growth_a_day if self.growth_a_day else None


class FolderMeter:
    """Measures a data folder, at most once a minute."""

    def __init__(self, folder: Path, wall_clock: Callable[[], WallTime] = time.time) -> None:
        self._folder = folder
        self._wall_clock = wall_clock
        self._measured: tuple[WallTime, FolderSizes] | None = None

    def measure(self) -> FolderSizes:
        """Return the sizes of now, or of up to a minute ago. It takes a while: call it in a thread. Raises OSError."""
        now = self._wall_clock()
        if self._measured is None or not 0 <= now - self._measured[0] < _FRESH_S:
            self._measured = now, measure_folder(self._folder, now)
        return self._measured[1]


def measure_folder(folder: Path, now: WallTime) -> FolderSizes:
    """Raises OSError if the folder is gone."""
    sizes = {JOURNALS_FOLDER: 0, PACKED_FOLDER: 0, "submissions": 0, DATABASE_FILE: 0, "": 0}
    for path, size in _files(folder):
        name = path.relative_to(folder).parts[0].removesuffix("-wal").removesuffix("-shm")
        sizes[name if name in sizes else ""] += size
    disk = shutil.disk_usage(folder)
    return FolderSizes(
        journals=sizes[JOURNALS_FOLDER],
        packed=sizes[PACKED_FOLDER],
        database=sizes[DATABASE_FILE],
        submissions=sizes["submissions"],
        other=sizes[""],
        free=disk.free,
        disk=disk.total,
        growth_a_day=_growth_a_day(folder, sizes[DATABASE_FILE], now),
    )


def _files(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield each file with what it takes on the disk. What is removed meanwhile is left out."""
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found = Path(root, name).lstat()
                yield Path(root, name), getattr(found, "st_blocks", -(-found.st_size // 512)) * 512


def _growth_a_day(folder: Path, database: int, now: WallTime) -> int:
    """Return the bytes that were written to journals in the last day, and what the database grew by beside them.

    Of a journal that is older than a day, the part of its time within the last day counts.
    """
    written, new = 0, 0.0
    for each in list_journals(folder):
        written += each.byte_count
        began = id_time(each.name[:ID_LENGTH])
        with suppress(OSError):
            ended = (folder / JOURNALS_FOLDER / each.name).stat().st_mtime
            if began is not None and began <= ended <= now:
                new += each.byte_count * max(0.0, ended - max(began, now - DAY_S)) / max(ended - began, 1.0)
    return round(new * (1 + database / written)) if written else 0
