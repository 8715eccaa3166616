"""What processes have used, as Linux tells of each under /proc; elsewhere nothing is known but the decisions."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.launch.times import time_spent
from arena.runner.job import Usage

_UTIME: Final = 11
"""Place of the user time among the fields of `stat` behind the name, in ticks; system time follows."""


@dataclass(frozen=True, slots=True)
class _Used:
    """Of one process; nothing where that cannot be told."""

    work_s: float = 0.0
    waited_s: float = 0.0
    bytes: int = 0


def used(decisions: int, bots: Iterable[int]) -> Usage:
    """What this process and those of these ids have used."""
    node, those = _of(os.getpid()), [_of(pid) for pid in bots]
    work_s = node.work_s + sum(each.work_s for each in those)
    waited_s = node.waited_s + sum(each.waited_s for each in those)
    return Usage(decisions, work_s, waited_s, node.bytes, len(those), sum(each.bytes for each in those))


def _of(pid: int) -> _Used:
    with suppress(OSError, ValueError, IndexError):
        folder = Path("/proc") / str(pid)
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[_UTIME]) + int(fields[_UTIME + 1])
        pages = int((folder / "statm").read_text().split()[1])
        spent = time_spent(pid)
        waited_us = 0 if spent is None else max(spent.waited_us.values(), default=0)
        return _Used(ticks / os.sysconf("SC_CLK_TCK"), waited_us / 1e6, pages * os.sysconf("SC_PAGE_SIZE"))
    return _Used()
