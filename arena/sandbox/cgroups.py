"""Control groups: limit the memory, the processes and the CPU of a box, and count what it used.

Version 2 has one tree for everything; version 1 has a tree for each controller. `ControllerFiles` has the few
differences as values. Source: the kernel's documentation, "Control Group v2" and "cgroup-v1" (memory, pids, cpu).
"""

import contextlib
import itertools
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.errors import EnvironmentFaultError
from arena.launch.box_limits import BoxLimits

PREFIX: Final = "cheatarena-"
PERIOD_US: Final = 100_000
"""The period of the CPU quota in microseconds, the kernel's default."""
OWN_PROCESSES: Final = 2
"""Processes that make a box. They count among its processes."""
CONTROLLERS: Final = ("memory", "pids", "cpu")

_MEMBERS: Final = "cgroup.procs"
_REMOVAL_TIME_S: Final = 2.0
"""Most seconds to wait until the kernel has taken killed processes out of their group."""
_REMOVAL_POLL_S: Final = 0.001
_KILL_ROUNDS: Final = 50


@dataclass(frozen=True, slots=True)
class ControllerFiles:
    """The names and units of one version of control groups."""

    memory: str
    swap: tuple[str, str] | None
    """The file that limits swap space, and its value with {memory} for bytes. It is missing if there is no swap."""
    oom_group: str | None
    oom_events: str
    weight: tuple[str, int]
    """The share of a core under load: a box gets as much as a session of ordinary programs."""
    kill: str | None
    throttled: tuple[str, int]
    """The line of cpu.stat with the time of throttling, and how many of its units are a microsecond."""


VERSION_2: Final = ControllerFiles(
    memory="memory.max",
    swap=("memory.swap.max", "0"),
    oom_group="memory.oom.group",
    oom_events="memory.events",
    weight=("cpu.weight", 100),
    kill="cgroup.kill",
    throttled=("throttled_usec", 1),
)
VERSION_1: Final = ControllerFiles(
    memory="memory.limit_in_bytes",
    swap=("memory.memsw.limit_in_bytes", "{memory}"),
    oom_group=None,
    oom_events="memory.oom_control",
    weight=("cpu.shares", 1024),
    kill=None,
    throttled=("throttled_time", 1000),
)


@dataclass(frozen=True, slots=True)
class GroupTree:
    """Where groups of boxes can be made."""

    folders: Mapping[str, Path]
    """The parent folder for each controller; one folder for all in version 2."""
    files: ControllerFiles
    missing: Sequence[str] = ()
    """A sentence for each controller that cannot be used."""

    def make_group(self, limits: BoxLimits) -> "BoxGroup":
        """Make a group with these limits. Raises EnvironmentFaultError."""
        name = f"{PREFIX}{os.getpid()}-{start_time_of(os.getpid())}-{next(_NUMBERS)}"
        group = BoxGroup({each: folder / name for each, folder in self.folders.items()}, self.files)
        try:
            group.make(limits)
        except OSError as error:
            group.remove()
            raise EnvironmentFaultError(
                f"the control group {error.filename} cannot be made: {error.strerror}"
            ) from error
        return group

    def remove_abandoned(self) -> None:
        """Remove the empty groups of arenas that no longer run. Their boxes ended with them."""
        for folder in dict.fromkeys(self.folders.values()):
            for group in folder.glob(f"{PREFIX}*"):
                pid, _, rest = group.name.removeprefix(PREFIX).partition("-")
                if pid.isdecimal() and start_time_of(int(pid)) != rest.partition("-")[0]:
                    with contextlib.suppress(OSError):
                        group.rmdir()


_NUMBERS: Final = itertools.count(1)


class BoxGroup:
    """The control group of one box."""

    def __init__(self, folders: Mapping[str, Path], files: ControllerFiles) -> None:
        self._folders = folders
        self._unique = tuple(dict.fromkeys(folders.values()))
        self._files = files
        self._limits = BoxLimits()
        self._oom_kill_count = 0
        self._throttled_us = 0

    def make(self, limits: BoxLimits) -> None:
        """Make the folders and write the limits. Raises OSError."""
        self._limits = limits
        for folder in self._unique:
            folder.mkdir()
        for controller, name, value, is_needed in self._values(limits):
            if controller not in self._folders:
                continue
            path = self._folders[controller] / name
            try:
                path.write_text(value)
            except OSError:
                if is_needed:
                    raise

    def _values(self, limits: BoxLimits) -> Iterator[tuple[str, str, str, bool]]:
        """Yield controller, file, value, and whether the box needs the file."""
        files, memory = self._files, str(limits.memory_mb << 20)
        yield "memory", files.memory, memory, True
        if files.swap is not None:
            yield "memory", files.swap[0], files.swap[1].format(memory=memory), False
        if files.oom_group is not None:
            yield "memory", files.oom_group, "1", False
        yield "pids", "pids.max", str(limits.processes + OWN_PROCESSES), True
        yield "cpu", files.weight[0], str(files.weight[1]), False
        quota = int(limits.cpus * PERIOD_US)
        if files is VERSION_2:
            yield "cpu", "cpu.max", f"{quota} {PERIOD_US}", True
        else:
            yield "cpu", "cpu.cfs_period_us", str(PERIOD_US), True
            yield "cpu", "cpu.cfs_quota_us", str(quota), True

    @property
    def member_files(self) -> Sequence[str]:
        """The files to which a new process writes its id to join."""
        return [str(folder / _MEMBERS) for folder in self._unique]

    def members(self) -> list[int]:
        """Return the ids of the processes in the group, as this process sees them."""
        for folder in self._unique:
            with contextlib.suppress(OSError):
                return [int(word) for word in (folder / _MEMBERS).read_text().split()]
        return []

    def signal(self, number: int, spared: frozenset[int] = frozenset()) -> None:
        """Send a signal to each process of the group but those spared."""
        for pid in self.members():
            if pid in spared or pid <= 0:
                continue
            with contextlib.suppress(OSError):
                handle = os.pidfd_open(pid)
                try:
                    if pid in self.members():  # the id has not been reused since the first look
                        signal.pidfd_send_signal(handle, number)
                finally:
                    os.close(handle)

    def kill(self) -> None:
        """Kill every process of the group, those too that it forks meanwhile."""
        if self._files.kill is not None:
            with contextlib.suppress(OSError):
                (self._unique[0] / self._files.kill).write_text("1")
                return
        for _ in range(_KILL_ROUNDS):
            if not self.members():
                return
            self.signal(signal.SIGKILL)

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel has killed a process of the group because it had used all of its memory."""
        self._read_use()
        return self._oom_kill_count > 0

    def throttled_us(self) -> int:
        """Return for how long the CPU quota has stopped the group so far, in microseconds."""
        self._read_use()
        return self._throttled_us

    def remove(self) -> None:
        """Kill what is left, and remove the group as soon as it is empty. What it used stays known."""
        self._read_use()
        self.kill()
        deadline = time.monotonic() + _REMOVAL_TIME_S
        for folder in self._unique:
            while not _remove_folder(folder) and time.monotonic() < deadline:
                time.sleep(_REMOVAL_POLL_S)

    def _read_use(self) -> None:
        """Read how often memory ran out and how long the quota stopped the group. A removed group keeps its values."""
        if "memory" in self._folders:
            text = _read_line_value(self._folders["memory"] / self._files.oom_events, "oom_kill")
            self._oom_kill_count = max(self._oom_kill_count, text)
        if "cpu" in self._folders:
            line, divisor = self._files.throttled
            value = _read_line_value(self._folders["cpu"] / "cpu.stat", line) // divisor
            self._throttled_us = max(self._throttled_us, value)


def _remove_folder(folder: Path) -> bool:
    """Remove an empty group. Return whether it is gone."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _read_line_value(path: Path, name: str) -> int:
    """Return the number behind a name in a file of lines; 0 if there is none."""
    with contextlib.suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == name:
                return int(value)
    return 0


def start_time_of(pid: int) -> str:
    """Return when a process started, in ticks since the boot, as text; empty if there is no such process."""
    with contextlib.suppress(OSError, IndexError):
        # the name in brackets may contain any character; the start time is field 22 of proc(5)
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(") ")[2].split()[19]
    return ""
