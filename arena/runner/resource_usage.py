"""What processes have used, as far as the system tells: processor time and memory."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import psutil

from arena.runner.job import ResourceUsage


@dataclass(frozen=True, slots=True)
class _ProcessUsage:
    """Of one process; nothing where that cannot be told."""

    work_s: float = 0.0
    children_s: float = 0.0
    """Of processes that it started and that have ended."""
    bytes: int = 0


def measure_usage(decisions: int, bots: Iterable[int]) -> ResourceUsage:
    """Return what this process, those of these ids, and all that it started and that have ended have used."""
    node, running = _read_process(None), [_read_process(pid) for pid in bots]
    work_s = node.work_s + node.children_s + sum(each.work_s for each in running)
    return ResourceUsage(decisions, work_s, node.work_s, node.bytes, len(running), sum(each.bytes for each in running))


def read_idle_s() -> float | None:
    """Return how long a core of this machine had nothing to do, or waited for a disk, since the machine started.

    The mean over its cores; None where the system does not tell.
    """
    with suppress(psutil.Error, OSError):
        times = psutil.cpu_times()
        return float(times.idle + getattr(times, "iowait", 0.0)) / (psutil.cpu_count() or 1)
    return None


def _read_process(pid: int | None) -> _ProcessUsage:
    """Read what a process has used; None stands for this one."""
    with suppress(psutil.Error, OSError):
        process = psutil.Process(pid)
        with process.oneshot():
            times = process.cpu_times()
            children_s = times.children_user + times.children_system
            return _ProcessUsage(times.user + times.system, children_s, process.memory_info().rss)
    return _ProcessUsage()
