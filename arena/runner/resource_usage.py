"""What processes have used, as Linux tells of each under /proc; elsewhere nothing is known but the decisions."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.runner.job import ResourceUsage

_PROC: Final = Path("/proc")
_UTIME_FIELD: Final = 11
"""Place of the user time among the fields of `stat` behind the name, in ticks; system time follows."""
_IDLE_FIELDS: Final = slice(4, 6)
"""Of the first line of the machine's `stat`: ticks in which a core had nothing to do, or waited for a disk."""


@dataclass(frozen=True, slots=True)
class _ProcessUsage:
    """Of one process; nothing where that cannot be told."""

    work_s: float = 0.0
    bytes: int = 0


def measure_usage(decisions: int, bots: Iterable[int]) -> ResourceUsage:
    """What this process, those of these ids, and all that it started and that have ended have used."""
    node, those, times = _read_process(os.getpid()), [_read_process(pid) for pid in bots], os.times()
    work_s = node.work_s + times.children_user + times.children_system + sum(each.work_s for each in those)
    return ResourceUsage(decisions, work_s, node.work_s, node.bytes, len(those), sum(each.bytes for each in those))


def read_idle_s() -> float | None:
    """How long a core of this machine had nothing to do since it started, in the mean; None: nobody tells."""
    with suppress(OSError, ValueError, IndexError):
        total, *_ = (_PROC / "stat").read_text().splitlines()
        return sum(map(int, total.split()[_IDLE_FIELDS])) / os.sysconf("SC_CLK_TCK") / (os.cpu_count() or 1)
    return None


def _read_process(pid: int) -> _ProcessUsage:
    with suppress(OSError, ValueError, IndexError):
        folder = _PROC / str(pid)
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[_UTIME_FIELD]) + int(fields[_UTIME_FIELD + 1])
        pages = int((folder / "statm").read_text().split()[1])
        return _ProcessUsage(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE"))
    return _ProcessUsage()
