"""Version 1 of control groups, which has a tree for each controller. New systems no longer have it.

To drop it, delete this file and its place in `VERSIONS` of `group_places`. Source: the kernel's documentation,
"cgroup-v1" (memory, pids, cpu).
"""

import contextlib
import errno
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final

from arena.bots.sandbox.box_makers import PREFIX
from arena.bots.sandbox.cgroups.controller_files import (
    CONTROLLERS,
    PERIOD_US,
    ControllerFiles,
    Places,
    can_make_group,
    describe_missing,
    find_group,
    lower_limit,
    read_limit,
    read_number,
)
from arena.errors import CrowdedHostError

_MEMORY_AND_SWAP: Final = "memory.memsw.limit_in_bytes"
"""The limit of both together. It is missing if there is no swap space."""
_SOCKETS: Final = "memory.kmem.tcp.limit_in_bytes"
"""The limit of the buffers of TCP and UDP, which do not count as memory. Not every kernel has it."""
_SOCKETS_PART: Final = 16
"""These buffers may take this fraction of the memory limit (one sixteenth) in addition. The kernel lets the whole
machine use less than a tenth of its memory for them."""
_PEAKS: Final = ("memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes")
"""The files with the most memory that a group has ever used."""
_PERIOD: Final = "cpu.cfs_period_us"


class _Version1(ControllerFiles):
    memory: ClassVar[str] = "memory.limit_in_bytes"
    weight: ClassVar[tuple[str, int]] = ("cpu.shares", 1024)
    quota: ClassVar[str] = "cpu.cfs_quota_us"
    oom_kills: ClassVar[tuple[str, str]] = ("memory.oom_control", "oom_kill")
    throttled: ClassVar[tuple[str, int]] = ("throttled_time", 1000)
    controller: ClassVar[str] = "cpu"

    def limits(self, memory: int, quota_us: int, above: Path | None) -> Iterator[tuple[str, str, str, bool]]:
        yield "memory", self.memory, str(memory), True
        yield "memory", _MEMORY_AND_SWAP, str(memory), False
        yield "memory", _SOCKETS, str(memory // _SOCKETS_PART), False
        yield "cpu", self.weight[0], str(self.weight[1]), False
        yield "cpu", _PERIOD, str(PERIOD_US), True
        yield "cpu", self.quota, str(quota_us if above is None else self._allowed_quota_us(above, quota_us)), True

    def prepare(self, folder: Path) -> None:
        """Do nothing: a group has the controller of its tree."""

    def lower_memory(self, folder: Path, wanted: int) -> None:
        try:
            lower_limit(folder / self.memory, wanted)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            raise CrowdedHostError(
                f"no further box can start now: all boxes of this machine together use more than {wanted >> 20} MB of"
                " memory (total_memory_mb in [boxes])"
            ) from error
        with contextlib.suppress(PermissionError):
            lower_limit(folder / _MEMORY_AND_SWAP, wanted)
        with contextlib.suppress(OSError):
            lower_limit(folder / _SOCKETS, wanted // _SOCKETS_PART)

    def lower_quota(self, folder: Path, wanted: int) -> None:
        """Lower also the quotas of boxes: none may have more than all together, not even one of another arena."""
        quota = self._allowed_quota_us(folder, wanted)
        for file in folder.glob(f"{PREFIX}*/{self.quota}"):
            with contextlib.suppress(FileNotFoundError):
                lower_limit(file, quota)
        lower_limit(folder / self.quota, quota)

    def _allowed_quota_us(self, folder: Path, wanted: int) -> int:
        """Return the CPU time in a period that a group can have: the kernel refuses more than groups above have."""
        quotas = ((read_limit(each / self.quota), read_limit(each / _PERIOD)) for each in (folder, *folder.parents))
        return min([wanted, *(quota * PERIOD_US // period for quota, period in quotas if quota is not None and period)])

    def was_full(self, folder: Path) -> bool:
        """Page cache counts as used memory: once a group is full, the kernel has dropped a part of it."""
        limit = read_limit(folder / self.memory)
        return limit is not None and any(read_number(folder / peak, "") >= limit for peak in _PEAKS)

    def find_places(self, own: Mapping[str, str], mounts: Mapping[str, Path]) -> Places:
        folders, missing, searched = dict[str, Path](), list[str](), list[Path]()
        for controller in CONTROLLERS:
            place = mounts.get(controller)
            folder = None if place is None else find_group(place, own.get(controller, "/"))
            if place is not None and folder is not None and can_make_group(folder):
                *below, folders[controller] = self.climb(folder, place, (controller,))
                searched += below
            else:
                missing.append(describe_missing(controller))
        return Places(folders, missing, searched)

    def _is_usable(self, folder: Path) -> bool:  # noqa: ARG002  as version 2 has it
        return True

    def find_quota(self, folder: Path, place: Path) -> Path:  # noqa: ARG002  as version 2 has it
        return folder


VERSION_1: Final = _Version1()
