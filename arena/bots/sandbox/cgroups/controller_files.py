"""The files of control groups: how both versions name them, and in which units.

Version 2 has one tree for everything; version 1 has a tree for each controller. Source: the kernel's documentation,
"Control Group v2" and "cgroup-v1" (memory, pids, cpu).
"""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CONTROLLERS: Final = ("memory", "pids", "cpu")
MEMBERS: Final = "cgroup.procs"
"""The file with the ids of a group's processes. To write an id moves a process."""
PROCESSES: Final = "pids.max"
"""The file that limits the number of processes, with threads."""
PERIOD: Final = "cpu.cfs_period_us"
"""The file of version 1 with the period of the CPU quota."""
PERIOD_US: Final = 100_000
"""The period of the CPU quota in microseconds, the kernel's default."""
SOCKETS_PART: Final = 16
"""Where buffers of TCP and UDP do not count as memory, they may take this fraction of the memory limit (one sixteenth)
in addition. The kernel lets the whole machine use less than a tenth of its memory for them."""
_NO_LIMIT: Final = 1 << 62
"""Version 1 writes no limit as a number of bytes that no machine has."""


@dataclass(frozen=True, slots=True)
class ControllerFiles:
    """The names and units of one version of control groups."""

    memory: str
    swap: tuple[str, str] | None
    """The file that limits swap space, and its value with {memory} for bytes. It is missing if there is no swap."""
    sockets: str | None
    """The file that limits the buffers of TCP and UDP, if they do not count as memory."""
    oom_group: str | None
    oom_kills: tuple[str, str]
    """The file and the line that count the processes of a group that were killed because memory ran out, anywhere."""
    peaks: tuple[str, ...]
    """The files with the most memory that a group has ever used, if no line of `oom_kills` counts when it was full."""
    weight: tuple[str, int]
    """The file with the share of the CPU under load, and what is usual: as much as a session of ordinary programs."""
    kill: str | None
    quota: str
    throttled: tuple[str, int]
    """The line of cpu.stat with the time of throttling, and how many of its units are a microsecond."""

    def was_full(self, folder: Path) -> bool:
        """Return whether a group has ever used all of its own memory.

        In version 1, the cache of files counts too: the kernel has then dropped a part of it.
        """
        if not self.peaks:
            return read_number(folder / self.oom_kills[0], "oom") > 0
        limit = read_limit(folder / self.memory)
        return limit is not None and any(read_number(folder / peak, "") >= limit for peak in self.peaks)

    def read_throttled_us(self, folder: Path) -> int:
        """Return for how long the CPU quota has stopped a group so far, in microseconds."""
        line, divisor = self.throttled
        return read_number(folder / "cpu.stat", line) // divisor


VERSION_2: Final = ControllerFiles(
    memory="memory.max",
    swap=("memory.swap.max", "0"),
    sockets=None,
    oom_group="memory.oom.group",
    oom_kills=("memory.events", "oom_kill"),
    peaks=(),
    weight=("cpu.weight", 100),
    kill="cgroup.kill",
    quota="cpu.max",
    throttled=("throttled_usec", 1),
)
VERSION_1: Final = ControllerFiles(
    memory="memory.limit_in_bytes",
    swap=("memory.memsw.limit_in_bytes", "{memory}"),
    sockets="memory.kmem.tcp.limit_in_bytes",
    oom_group=None,
    oom_kills=("memory.oom_control", "oom_kill"),
    peaks=("memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes"),
    weight=("cpu.shares", 1024),
    kill=None,
    quota="cpu.cfs_quota_us",
    throttled=("throttled_time", 1000),
)


def read_limit(path: Path) -> int | None:
    """Return the first number of a file with a limit; None if there is no limit or no such file."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        limit = int(path.read_text(encoding="ascii").split()[0])  # "max" is no number
        return limit if 0 <= limit < _NO_LIMIT else None
    return None


def write_value(path: Path, text: str) -> None:
    """Write a file of a control group. Raises OSError, which always names the file."""
    try:
        path.write_text(text, encoding="ascii")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def read_number(path: Path, line: str) -> int:
    """Return the number behind a name in a file of lines, or that of a file without names; 0 if there is none."""
    with contextlib.suppress(OSError, ValueError):
        for text in path.read_text(encoding="ascii").splitlines():
            name, _, value = text.rpartition(" ")
            if name == line:
                return int(value)
    return 0


def names_controllers(path: Path) -> bool:
    """Return whether a file of version 2 names all controllers."""
    with contextlib.suppress(OSError):
        return set(CONTROLLERS) <= set(path.read_text(encoding="ascii").split())
    return False


def enable(folder: Path) -> bool:
    """Let the groups below a group of version 2 have all controllers. Return whether they have them."""
    file = folder / "cgroup.subtree_control"
    with contextlib.suppress(OSError):
        if not names_controllers(file):
            file.write_text(" ".join(f"+{each}" for each in CONTROLLERS), encoding="ascii")
        return True
    return False
