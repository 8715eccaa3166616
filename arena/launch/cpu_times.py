"""Time that processes have run and have waited for a core, from Linux's accounting; unknown on other systems.

psutil has no account of waiting, so this is read from the kernel: threads that wait for a core are what a fault is
explained by. Source: the kernel's documentation, "Scheduler Statistics" (`/proc/PID/schedstat`), and proc(5) for the
state.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")


class ProcessCpuTimes(NamedTuple):
    """CPU times of a process since its start, over its current threads, in microseconds."""

    state: str
    """State of its first thread: R, S, D, T, Z …"""
    ran_us: Mapping[str, int]
    """By thread: time on a core."""
    waited_us: Mapping[str, int]
    """By thread: time ready to run while others had the cores."""

    @property
    def total_ran_us(self) -> int:
        """Time on a core of all threads together."""
        return sum(self.ran_us.values())


def read_cpu_times(pid: int) -> ProcessCpuTimes | None:
    """Return a process's CPU times; None if there is no such process or no accounting."""
    folder = _PROC / str(pid)
    try:
        state = _read_state(folder)
        threads = {thread.name: _read_thread_times(thread / "schedstat") for thread in (folder / "task").iterdir()}
    except (OSError, ValueError, IndexError):
        return None
    ran, waited = ({name: ns[place] // 1000 for name, ns in threads.items()} for place in (0, 1))
    return ProcessCpuTimes(state, ran, waited)


def longest_wait_us(before: ProcessCpuTimes, after: ProcessCpuTimes) -> int:
    """Return the longest time that one thread waited for other processes between two readings, in microseconds.

    A message may pass through several threads, so this is a lower bound of its delay if all of them wait. The time that
    other threads of the process ran meanwhile is subtracted: that wait is the process's own doing.
    """
    waited, ran = (
        _increase_by_thread(before.waited_us, after.waited_us),
        _increase_by_thread(before.ran_us, after.ran_us),
    )
    waits = (wait - (sum(ran.values()) - ran.get(thread, 0)) for thread, wait in waited.items())
    return max(0, *waits, 0)


def _increase_by_thread(before: Mapping[str, int], after: Mapping[str, int]) -> Mapping[str, int]:
    return {thread: value - before.get(thread, 0) for thread, value in after.items()}


def _read_state(folder: Path) -> str:
    """Return the state, which follows the bracketed name; the name may contain any character."""
    return (folder / "stat").read_text(errors="replace").rpartition(") ")[2][0]


def _read_thread_times(path: Path) -> tuple[int, int]:
    """Return nanoseconds on a core and in the queue; zeros for a thread that has just ended."""
    try:
        ran, waited, _ = path.read_bytes().split()
    except FileNotFoundError:
        return 0, 0
    return int(ran), int(waited)
