"""Control groups: limit the memory, the processes and the CPU of a box, and count what it used.

    where groups can be made ─▶ the common group of all boxes (`common_group`) ─▶ a group for each box

`controller_files` has the differences between the two versions of control groups.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.bots.launch.box_limits import DEFAULT_TOTALS, BoxLimits, BoxTotals
from arena.bots.sandbox.cgroups.common_group import COMMON_NAME, CommonGroup
from arena.bots.sandbox.cgroups.controller_files import (
    MEMBERS,
    PERIOD,
    PERIOD_US,
    PROCESSES,
    SOCKETS_PART,
    VERSION_2,
    ControllerFiles,
    read_number,
    write_value,
)
from arena.bots.sandbox.owned_names import PREFIX, is_abandoned, make_name
from arena.errors import CrowdedHostError, EnvironmentFaultError

OWN_PROCESSES: Final = 2
"""Processes that make a box. They count among its processes."""

_REMOVAL_TIME_S: Final = 2.0
"""Most seconds to wait until the kernel has taken killed processes out of their group."""
_REMOVAL_POLL_S: Final = 0.001
_KILL_ROUNDS: Final = 50


@dataclass(frozen=True, slots=True)
class GroupTree:
    """Where groups of boxes can be made."""

    folders: Mapping[str, Path]
    """The parent folder for each controller; one folder for all in version 2."""
    files: ControllerFiles
    missing: Sequence[str] = ()
    """A sentence for each controller that cannot be used."""
    searched: Sequence[Path] = ()
    """Further folders in which an earlier arena may have left groups."""
    common_name: str = COMMON_NAME
    totals: BoxTotals = DEFAULT_TOTALS

    @property
    def common(self) -> CommonGroup:
        """The group of all boxes."""
        folders = {each: folder / self.common_name for each, folder in self.folders.items()}
        return CommonGroup(folders, self.files, self.totals)

    def bound(self, totals: BoxTotals, *, is_apart: bool) -> "GroupTree":
        """Return a tree with totals. If `is_apart`, its boxes share no group with those of other trees."""
        return replace(self, totals=totals, common_name=make_name() if is_apart else COMMON_NAME)

    def make_group(self, limits: BoxLimits) -> "BoxGroup":
        """Make a group with these limits. Raises CrowdedHostError if no process is left, and EnvironmentFaultError."""
        common = self.common
        group = BoxGroup(common, make_name())
        try:
            group.make(limits)
            common.check_room(OWN_PROCESSES + 1)
        except OSError as error:
            group.remove()
            raise EnvironmentFaultError(
                f"the control group {error.filename} cannot be made: {error.strerror}"
            ) from error
        except CrowdedHostError:
            group.remove()
            raise
        return group

    def remove_abandoned(self) -> None:
        """Remove the empty groups of arenas that no longer run. Their boxes ended with them."""
        for folder in dict.fromkeys([*self.folders.values(), *self.searched]):
            _remove_abandoned(folder)


def _remove_abandoned(folder: Path) -> None:
    """Remove the groups of dead arenas in a folder, and the common group if it is then empty."""
    for group in folder.glob(f"{PREFIX}*"):
        if is_abandoned(group.name) or group.name == COMMON_NAME:
            _remove_abandoned(group)
            _remove_folder(group)


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
        files, memory = self._files, str(limits.memory_mb << 20)
        yield "memory", files.memory, memory, True
        if files.swap is not None:
            yield "memory", files.swap[0], files.swap[1].format(memory=memory), False
        if files.sockets is not None:
            yield "memory", files.sockets, str((limits.memory_mb << 20) // SOCKETS_PART), False
        if files.oom_group is not None:
            yield "memory", files.oom_group, "1", False
        yield "pids", PROCESSES, str(limits.processes + OWN_PROCESSES), True
        yield "cpu", files.weight[0], str(files.weight[1]), False
        quota = int(limits.cpus * PERIOD_US)
        if files is VERSION_2:
            yield "cpu", files.quota, f"{quota} {PERIOD_US}", True
        else:
            yield "cpu", PERIOD, str(PERIOD_US), True
            yield "cpu", files.quota, str(self._common.lower_quota_us(quota)), True

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
        if self._files.kill is not None:
            with contextlib.suppress(OSError):
                (self._unique[0] / self._files.kill).write_text("1", encoding="ascii")
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
            while not _remove_folder(folder) and time.monotonic() < deadline:
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


def _remove_folder(folder: Path) -> bool:
    """Remove an empty group. Return whether it is gone."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
