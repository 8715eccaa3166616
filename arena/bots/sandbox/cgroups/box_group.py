"""The control group of one box: limits its memory, its processes and its CPU, and counts what it used."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.sandbox.cgroups.common_group import CommonGroup
from arena.bots.sandbox.cgroups.controller_files import MEMBERS, PERIOD_US, PROCESSES, read_number, write_value

OWN_PROCESSES: Final = 2
"""Processes that make a box. They count among its processes."""

_REMOVAL_TIME_S: Final = 2.0
"""Most seconds to wait until the kernel has taken killed processes out of their group."""
_REMOVAL_POLL_S: Final = 0.001
_KILL_ROUNDS: Final = 50


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
