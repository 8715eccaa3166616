"""Measures the processor time and memory that processes have used, if the system reports them."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import psutil

from arena.fleet.runner.job import ResourceUsage


@dataclass(frozen=True, slots=True)
class _ProcessUsage:
    """The usage of one process. All values are 0 if the usage cannot be read."""

    work_s: float = 0.0
    children_s: float = 0.0
    """Processor time in seconds of child processes that have ended."""
    bytes: int = 0


def measure_usage(decisions: int, bots: Iterable[int]) -> ResourceUsage:
    """Return the usage of this process, of its ended children and of the bots with these process ids."""
    node, running = _read_process(None), [_read_process(pid) for pid in bots]
    work_s = node.work_s + node.children_s + sum(each.work_s for each in running)
    return ResourceUsage(decisions, work_s, node.work_s, node.bytes, len(running), sum(each.bytes for each in running))


def read_idle_s() -> float | None:
    """Return the seconds for which a core was idle or waited for a disk since the machine started.

    This is the mean over all cores; None if the system does not report it.
    """
    with suppress(psutil.Error, OSError):
        times = psutil.cpu_times()
        return float(times.idle + getattr(times, "iowait", 0.0)) / (psutil.cpu_count() or 1)
    return None


def _read_process(pid: int | None) -> _ProcessUsage:
    """Read the usage of a process; None means this one."""
    with suppress(psutil.Error, OSError):
        process = psutil.Process(pid)
        with process.oneshot():
            times = process.cpu_times()
            children_s = times.children_user + times.children_system
            return _ProcessUsage(times.user + times.system, children_s, process.memory_info().rss)
    return _ProcessUsage()
