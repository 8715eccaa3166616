"""Control groups: that of each box, and the one around them, which bounds what all boxes use together.

The common group lives as long as any box. Every arena that may write the same place makes its boxes in it, so the bound
holds for the machine and not for one process. Each arena wants totals: those of its settings, or else a share of the
machine if no other arena has set any. While boxes run, totals can only become lower: the lowest of all settings hold.

What boxes may use adds up to more than the totals, since most use a small part of it. So a box is not refused because
of its limits: the kernel holds the totals. When memory runs out, it kills the process that uses the most of it. Only
processes are different: without one left for it, a box could not even say why it does not start.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.bots.launch.box_limits import BoxLimits, BoxTotals
from arena.bots.sandbox.box_makers import PREFIX
from arena.bots.sandbox.cgroups.controller_files import (
    MEMBERS,
    PERIOD_US,
    PROCESSES,
    ControllerFiles,
    lower_limit,
    read_limit,
    read_number,
    write_value,
)
from arena.errors import CrowdedHostError
from arena.plurals import format_count

COMMON_NAME: Final = f"{PREFIX}boxes"
SHARE: Final = 0.75
"""The part of the machine's memory and processes that all boxes may use. The server and the system keep the rest.

The CPU needs no such part: under load, all boxes together weigh as much as one session of programs for each core, so
that a busy thread of the server gets at least half of its core.
"""
_MOST_WEIGHT: Final = 100
"""How many times the usual weight a group of version 2 can have."""
_ROUNDS: Final = 100
OWN_PROCESSES: Final = 2
"""Processes that make a box. They count among its processes."""

_REMOVAL_TIME_S: Final = 2.0
"""Most seconds to wait until the kernel has taken killed processes out of their group."""
_REMOVAL_POLL_S: Final = 0.001
_KILL_ROUNDS: Final = 50


@dataclass(frozen=True, slots=True)
class CommonGroup:
    """The group of all boxes, whether it exists or not."""

    folders: Mapping[str, Path]
    """Its folder for each controller."""
    files: ControllerFiles
    totals: BoxTotals

    def make_inside(self, folder: Path) -> None:
        """Make the folder of a box, and the common group around it if there is none. Raises OSError.

        The limits come last: the common group stays as long as the box has its folder.
        """
        for rest in reversed(range(_ROUNDS)):
            with contextlib.suppress(FileExistsError):
                folder.parent.mkdir()
            try:
                folder.mkdir()
            except FileNotFoundError:  # another arena has just removed the common group with its last box
                if not rest:
                    raise
            else:
                break
        self._limit(folder.parent)

    def check_room(self, process_count: int) -> None:
        """Raise CrowdedHostError if all boxes together cannot have this many more processes."""
        if "pids" not in self.folders:
            return
        present = read_number(self.folders["pids"] / "pids.current", "")
        most = read_limit(self.folders["pids"] / PROCESSES)
        if most is not None and present + process_count > most:
            raise CrowdedHostError(
                "no further box can start now: all boxes of this machine together have"
                f" {format_count(present, 'process')}, and may have {most} (total_processes in [boxes])"
            )

    def throttled_us(self) -> int:
        """Return for how long the quota has stopped all boxes so far, in microseconds."""
        return self.files.read_throttled_us(self.folders["cpu"]) if "cpu" in self.folders else 0

    def remove(self) -> None:
        """Remove the group unless a box is left in it."""
        for folder in dict.fromkeys(self.folders.values()):
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _limit(self, folder: Path) -> None:
        """Lower the limits of one folder to the totals. Raises OSError."""
        self.files.prepare(folder)
        for controller, lower in (
            ("memory", self._lower_memory),
            ("pids", self._lower_processes),
            ("cpu", self._lower_cpu),
        ):
            if self.folders.get(controller) == folder:
                lower(folder)

    def _lower_memory(self, folder: Path) -> None:
        total_mb = self.totals.memory_mb
        kept = read_limit(folder / self.files.memory) if total_mb is None else total_mb << 20
        self.files.lower_memory(folder, kept or self._share_memory())

    def _lower_processes(self, folder: Path) -> None:
        file = folder / PROCESSES
        lower_limit(file, self.totals.processes or read_limit(file) or self._share_processes())

    def _lower_cpu(self, folder: Path) -> None:
        """Set the weight, and lower the quota."""
        name, usual = self.files.weight
        weight = usual * min(_MOST_WEIGHT, os.cpu_count() or 1)
        if read_limit(folder / name) != weight:
            write_value(folder / name, str(weight))
        if self.totals.cpus is not None:
            self.files.lower_quota(folder, int(self.totals.cpus * PERIOD_US))

    def _share_memory(self) -> int:
        """Return the share of the memory that the machine and the groups above have, in bytes."""
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return int(SHARE * min([machine, *_limits_above(self.folders["memory"], self.files.memory)]))

    def _share_processes(self) -> int:
        """Return the share of the processes that the machine and the groups above allow."""
        kernel = Path("/proc/sys/kernel")
        machine = [limit for name in ("pid_max", "threads-max") if (limit := read_limit(kernel / name)) is not None]
        return int(SHARE * min([*machine, *_limits_above(self.folders["pids"], PROCESSES)]))


def _limits_above(folder: Path, name: str) -> Iterator[int]:
    """Yield the limits of the groups above a group."""
    for above in folder.parents:
        if (limit := read_limit(above / name)) is not None:
            yield limit
        elif not (above / MEMBERS).exists():
            return


class BoxGroup:
    """The control group of one box."""

    def __init__(self, common: CommonGroup, name: str) -> None:
        """`name` is that of a folder in the common group."""
        self._common = common
        self._folders = {controller: folder / name for controller, folder in common.folders.items()}
        self._unique = tuple(dict.fromkeys(self._folders.values()))
        self._files = common.files
        self._oom_kill_count = 0
        self._was_full = False
        self._throttled_us = 0

    def make(self, limits: BoxLimits) -> None:
        """Make the folders and write the limits. Raises OSError."""
        for folder in self._unique:
            self._common.make_inside(folder)
        for controller, name, value, is_needed in self._values(limits):
            if controller not in self._folders:
                continue
            path = self._folders[controller] / name
            try:
                write_value(path, value)
            except OSError:
                if is_needed:
                    raise

    def _values(self, limits: BoxLimits) -> Iterator[tuple[str, str, str, bool]]:
        """Yield controller, file, value, and whether the box needs the file."""
        quota_us, above = int(limits.cpus * PERIOD_US), self._common.folders.get("cpu")
        yield from self._files.limits(limits.memory_mb << 20, quota_us, above)
        yield "pids", PROCESSES, str(limits.processes + OWN_PROCESSES), True

    @property
    def member_files(self) -> Sequence[str]:
        """The files to which a new process writes its id to join."""
        return [str(folder / MEMBERS) for folder in self._unique]

    def members(self) -> list[int]:
        """Return the ids of the processes in the group, as this process sees them."""
        for folder in self._unique:
            with contextlib.suppress(OSError):
                return [int(word) for word in (folder / MEMBERS).read_text(encoding="ascii").split()]
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
        with contextlib.suppress(OSError):  # version 2 alone has this file
            (self._unique[0] / "cgroup.kill").write_text("1", encoding="ascii")
            return
        for _ in range(_KILL_ROUNDS):
            if not self.members():
                return
            self.signal(signal.SIGKILL)

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel has killed a process of the group because memory had run out."""
        self._read_memory()
        return self._oom_kill_count > 0

    def was_full(self) -> bool:
        """Return whether the group has ever used all of its own memory.

        If not, a process that was killed had to make room for others.
        """
        self._read_memory()
        return self._was_full

    def throttled_us(self) -> int:
        """Return for how long the CPU quota has stopped the group so far, in microseconds."""
        if "cpu" in self._folders:
            throttled_us = self._files.read_throttled_us(self._folders["cpu"])
            self._throttled_us = max(self._throttled_us, throttled_us)  # a removed group keeps its value
        return self._throttled_us

    def remove(self) -> None:
        """Kill what is left, and remove the group as soon as it is empty. What it used stays known."""
        self._read_memory()
        self.throttled_us()
        self.kill()
        deadline = time.monotonic() + _REMOVAL_TIME_S
        for folder in self._unique:
            while not remove_folder(folder) and time.monotonic() < deadline:
                time.sleep(_REMOVAL_POLL_S)
        self._common.remove()

    def _read_memory(self) -> None:
        """Read how memory ran out. A removed group keeps what was read."""
        if "memory" in self._folders:
            folder, files = self._folders["memory"], self._files
            self._oom_kill_count = max(
                self._oom_kill_count, read_number(folder / files.oom_kills[0], files.oom_kills[1])
            )
            self._was_full = self._was_full or files.was_full(folder)


def remove_folder(folder: Path) -> bool:
    """Remove an empty group. Return whether it is gone."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
