"""CPU times: how long processes have run and have waited for a core. Only Linux reports them.

The time that a bot's threads waited for a core can explain a strike, and that of a server's own threads delays its
deadlines. psutil does not report this time, so it is read from the kernel. Sources: the kernel's documentation,
"Scheduler Statistics" (`/proc/PID/schedstat`: time on a core and in the queue, in nanoseconds since the thread started;
a wait counts once it is over), and proc(5) for the state.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple, Self

_PROC: Final = Path("/proc")
_TASKS: Final = "/proc/self/task"
_MAX_LENGTH: Final = 80
"""Length of the text that is read. It suffices for three numbers of 20 digits."""


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


class RunQueueWaits:
    """Reads how long the threads of this process were ready to run but had no core.

    The files stay open, because a server reads them around each deadline. To read an open file takes about two
    microseconds.
    """

    def __init__(self) -> None:
        self._files: dict[str, int] = {}
        """The open file of each thread."""
        self._waited_ns: dict[str, int] = {}
        """The latest reading for each thread."""
        self._total_ns = 0

    @classmethod
    def open(cls) -> Self | None:
        """Return a reader; None if the system does not report the waits."""
        return cls() if Path("/proc/self/schedstat").exists() else None

    def read_us(self) -> int:
        """Return how long all threads together have waited since the first reading, in microseconds.

        A thread's waiting time counts only from the first reading in which the thread is seen.
        """
        try:
            threads = os.listdir(_TASKS)  # noqa: PTH208  runs around deadlines, and paths take ten times as long
        except OSError:  # no descriptor is left
            return self._total_ns // 1000
        for ended in self._files.keys() - threads:
            self._forget(ended)
        for thread in threads:
            try:
                self._read_thread(thread)
            except OSError:  # the thread has just ended
                self._forget(thread)
        return self._total_ns // 1000

    def close(self) -> None:
        for thread in list(self._files):
            self._forget(thread)

    def _read_thread(self, thread: str) -> None:
        file = self._files.get(thread)
        if file is None:
            file = self._files[thread] = os.open(f"{_TASKS}/{thread}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        waited_ns = int(os.pread(file, _MAX_LENGTH, 0).split()[1])
        self._total_ns += waited_ns - self._waited_ns.get(thread, waited_ns)
        self._waited_ns[thread] = waited_ns

    def _forget(self, thread: str) -> None:
        self._waited_ns.pop(thread, None)
        file = self._files.pop(thread, None)
        if file is not None:
            os.close(file)
