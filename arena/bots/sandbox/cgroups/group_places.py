"""Where control groups of boxes can be made, and whose quota stops a process.

    a place where groups can be made ─▶ the common group of all boxes (`box_groups`) ─▶ a group for each box

All arenas of a machine should find the same place, since what bounds all boxes together is there. So the place is as
far above the group of this process as the system lets it be, but no limit and no delegation is left behind.
"""

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.bots.launch.box_limits import DEFAULT_TOTALS, BoxLimits, BoxTotals
from arena.bots.sandbox.box_makers import PREFIX, is_abandoned, make_name
from arena.bots.sandbox.cgroups.box_groups import COMMON_NAME, OWN_PROCESSES, BoxGroup, CommonGroup, remove_folder
from arena.bots.sandbox.cgroups.controller_files import CONTROLLERS, VERSION_2, ControllerFiles, find_group
from arena.bots.sandbox.cgroups.version_1 import VERSION_1
from arena.errors import CrowdedHostError, EnvironmentFaultError

VERSIONS: Final[Sequence[ControllerFiles]] = (VERSION_2, VERSION_1)
"""The versions of control groups. The first that this machine offers completely is used, or else the last."""


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
            remove_folder(group)


def find_group_tree(proc: Path = Path("/proc/self")) -> GroupTree:
    """Find where control groups can be made, and what is missing if they cannot.

    `proc` is this process's folder in /proc.
    """
    own, mounts = _read_own_groups(proc), _read_mounts(proc)
    for files in VERSIONS:
        folders, missing, searched = files.find_places(own, mounts)
        if not missing:
            break
    return GroupTree(folders, files, missing, searched)


def read_throttled_us(pid: int, proc: Path = Path("/proc")) -> int:
    """Return for how long the quota of a process's group has stopped it, in microseconds; 0 if nothing says so."""
    mounts, groups = _read_mounts(proc / "self"), _read_own_groups(proc / str(pid))
    for files in VERSIONS:
        place, path = mounts.get(files.controller), groups.get(files.controller)
        folder = None if place is None or path is None else find_group(place, path)
        if place is not None and folder is not None and (group := files.find_quota(folder, place)) != place:
            return files.read_throttled_us(group)
    return 0


def _read_own_groups(proc: Path) -> Mapping[str, str]:
    """Return the group of this process by controller; the empty name is that of version 2."""
    groups: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in os.fsdecode((proc / "cgroup").read_bytes()).splitlines():
            _, names, path = line.split(":", 2)
            groups |= dict.fromkeys(names.split(","), path)
    return groups


def _read_mounts(proc: Path) -> Mapping[str, Path]:
    """Return where each controller is mounted; the empty name is that of version 2. Source: proc(5), mountinfo."""
    mounts: dict[str, Path] = {}
    with contextlib.suppress(OSError):
        for line in os.fsdecode((proc / "mountinfo").read_bytes()).splitlines():
            left, _, right = line.partition(" - ")
            place, (kind, _, options) = Path(left.split()[4]), right.split(" ", 2)
            if kind == "cgroup2":
                mounts.setdefault("", place)
            elif kind == "cgroup":
                mounts |= {name: place for name in options.split(",") if name in CONTROLLERS}
    return mounts
