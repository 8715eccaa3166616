"""Run-queue waits: how long the threads of this process were ready to run but had no core. Only Linux reports them.

The second number of `/proc/self/task/THREAD/schedstat` is this time in nanoseconds, since the thread started (the
kernel's documentation, "Scheduler Statistics"). A wait counts once it is over. The files stay open, because a server
reads them around each deadline. To read an open file takes about two microseconds.
"""

import os
from pathlib import Path
from typing import Final, Self

_TASKS: Final = "/proc/self/task"
_MAX_LENGTH: Final = 80
"""Length of the text that is read. It suffices for three numbers of 20 digits."""


class RunQueueWaits:
    """Reads the waits of this process's threads."""

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
        """Close all files."""
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
