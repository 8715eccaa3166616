"""How long processes have run and have waited for a core, as Linux accounts for it; elsewhere nobody knows.

psutil has no account of waiting, so this is read from the kernel: threads that wait for a core are what a fault is
explained by. Source: the kernel's documentation, "Scheduler Statistics" (`/proc/PID/schedstat`), and proc(5) for the
state.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")


class ProcessCpuTimes(NamedTuple):
    """What a process has spent since it began, of the threads that it has now, microseconds."""

    state: str
    """Of its first thread: R, S, D, T, Z …"""
    ran_us: Mapping[str, int]
    """By thread: on a core."""
    waited_us: Mapping[str, int]
    """By thread: ready to run, while others had the cores."""

    @property
    def total_ran_us(self) -> int:
        """Of all threads together."""
        return sum(self.ran_us.values())


def read_cpu_times(pid: int) -> ProcessCpuTimes | None:
    """Read how a process has spent its time; None where there is none, or no such account is kept."""
    folder = _PROC / str(pid)
    try:
        state = _read_state(folder)
        threads = {thread.name: _read_thread_times(thread / "schedstat") for thread in (folder / "task").iterdir()}
    except (OSError, ValueError, IndexError):
        return None
    ran, waited = ({name: ns[place] // 1000 for name, ns in threads.items()} for place in (0, 1))
    return ProcessCpuTimes(state, ran, waited)


def longest_wait_us(before: ProcessCpuTimes, after: ProcessCpuTimes) -> int:
    """How long the thread that waited longest has waited for others than its own process between two looks.

    A message may pass through several threads, so this is the least that it was held up where all of them wait. What
    the other threads of its process ran meanwhile is taken off: who keeps the cores from itself has nobody to blame.
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
    """Behind the name, which stands in brackets and may hold anything."""
    return (folder / "stat").read_text(errors="replace").rpartition(") ")[2][0]


def _read_thread_times(path: Path) -> tuple[int, int]:
    """Nanoseconds on a core and in a queue; nothing of a thread that has just ended."""
    try:
        ran, waited, _ = path.read_bytes().split()
    except FileNotFoundError:
        return 0, 0
    return int(ran), int(waited)
