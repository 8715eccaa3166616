"""What processes have used, as Linux tells of each under /proc; elsewhere nothing is known but the decisions."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.runner.job import Usage

_UTIME: Final = 11
"""Place of the user time among the fields of `stat` behind the name, in ticks; system time follows."""


def used(decisions: int, bots: Iterable[int]) -> Usage:
    """What this process and those of these ids have used."""
    work_s, node_bytes = _of(os.getpid())
    known = [_of(pid) for pid in bots]
    bots_work_s, sizes = sum(work for work, _ in known), [size for _, size in known]
    return Usage(decisions, work_s + bots_work_s, node_bytes, len(sizes), sum(sizes))


def _of(pid: int) -> tuple[float, int]:
    """Seconds of work and bytes of memory of a process; nothing where that cannot be told."""
    with suppress(OSError, ValueError, IndexError):
        folder = Path("/proc") / str(pid)
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[_UTIME]) + int(fields[_UTIME + 1])
        pages = int((folder / "statm").read_text().split()[1])
        return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")
    return 0.0, 0
