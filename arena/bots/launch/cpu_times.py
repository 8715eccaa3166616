"""CPU times: how long processes have run and have waited for a core. Only Linux reports them.

The time that a bot's threads waited for a core can explain a strike. psutil does not report this time, so it is read
from the kernel. Sources: the kernel's documentation, "Scheduler Statistics" (`/proc/PID/schedstat`), and proc(5) for
the state.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")


class ProcessCpuTimes(NamedTuple):
    """The CPU times of a process's current threads since they started, in microseconds."""

    state: str
    """State of the process's first thread: R, S, D, T, Z …"""
    ran_us: Mapping[str, int]
    """Time on a core, by thread."""
    waited_us: Mapping[str, int]
    """Time for which a thread was ready to run but had no core, by thread."""

    @property
    def total_ran_us(self) -> int:
        """Time on a core of all threads together."""
        return sum(self.ran_us.values())


def read_cpu_times(pid: int) -> ProcessCpuTimes | None:
    """Return a process's CPU times; None if there is no such process or the system does not report them."""
    folder = _PROC / str(pid)
    try:
        # the name in brackets before the state may contain any character
        state = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2][0]
        threads = {thread.name: _read_thread_times(thread / "schedstat") for thread in (folder / "task").iterdir()}
    except (OSError, ValueError, IndexError):
        return None
    ran, waited = ({name: ns[place] // 1000 for name, ns in threads.items()} for place in (0, 1))
    return ProcessCpuTimes(state, ran, waited)


def longest_wait_us(before: ProcessCpuTimes, after: ProcessCpuTimes) -> int:
    """Return the longest time that one thread waited for other processes between two readings, in microseconds.

    A message may pass through several threads that all wait, so it may be delayed even longer. The time that other
    threads of the process ran is subtracted, because the process itself caused that wait.
    """
    waited = _increase_by_thread(before.waited_us, after.waited_us)
    ran = _increase_by_thread(before.ran_us, after.ran_us)
    waits = (wait - (sum(ran.values()) - ran.get(thread, 0)) for thread, wait in waited.items())
    return max(0, *waits, 0)


def _increase_by_thread(before: Mapping[str, int], after: Mapping[str, int]) -> Mapping[str, int]:
    return {thread: value - before.get(thread, 0) for thread, value in after.items()}


def _read_thread_times(path: Path) -> tuple[int, int]:
    """Return a thread's nanoseconds on a core and in the queue; zeros if it has just ended."""
    try:
        ran, waited, _ = path.read_bytes().split()
    except FileNotFoundError:
        return 0, 0
    return int(ran), int(waited)
