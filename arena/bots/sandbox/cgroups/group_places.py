"""Finds where this process may make control groups for boxes.

All arenas of a machine should find the same place, since what bounds all boxes together is there. So the place is as
far above the group of this process as the system lets it be, but no limit and no delegation is left behind.

Version 2 lets a group have either processes or groups with limits, not both. So the boxes are made beside the group of
this process if that is allowed. Otherwise the processes of this group move into a group `arena` below it first.
"""

import contextlib
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from arena.bots.sandbox.cgroups.box_group import GroupTree
from arena.bots.sandbox.cgroups.controller_files import (
    CONTROLLERS,
    MEMBERS,
    PROCESSES,
    VERSION_1,
    VERSION_2,
    ControllerFiles,
    enable,
    names_controllers,
    read_limit,
)
from arena.bots.sandbox.owned_names import PREFIX

_OWN_GROUP: Final = "arena"
_PROC_SELF: Final = Path("/proc/self")


def find_group_tree(proc: Path = _PROC_SELF) -> GroupTree:
    """Return where groups can be made, with what is missing. `proc` is this process's folder in /proc."""
    own = _read_own_groups(proc)
    mounts = _read_mounts(proc)
    if unified := _find_version_2(own, mounts):
        *searched, folder = unified
        return GroupTree(dict.fromkeys(CONTROLLERS, folder), VERSION_2, searched=searched)
    folders: dict[str, Path] = {}
    missing, below = [], []
    for controller in CONTROLLERS:
        place = mounts.get(controller)
        own_folder = None if place is None else _find_group(place, own.get(controller, "/"))
        if place is not None and own_folder is not None and _can_make_group(own_folder):
            *searched, folders[controller] = _climb(own_folder, place, (controller,), VERSION_1)
            below += searched
        else:
            missing.append(f"no control group can be made for {_WORDS[controller]}")
    return GroupTree(folders, VERSION_1, missing, below)


_WORDS: Final = {"memory": "memory", "pids": "the number of processes", "cpu": "the CPU"}


def read_throttled_us(pid: int, proc: Path = Path("/proc")) -> int:
    """Return for how long the quota of a process's group has stopped it, in microseconds; 0 if nothing says so.

    In version 2, some engines put a container into a group without a quota below the one with the quota.
    """
    mounts, groups = _read_mounts(proc / "self"), _read_own_groups(proc / str(pid))
    for controller, files in (("cpu", VERSION_1), ("", VERSION_2)):
        if controller not in mounts or controller not in groups:
            continue
        place = mounts[controller]
        folder = _find_group(place, groups[controller])
        while folder not in (None, place) and files is VERSION_2 and read_limit(folder / files.quota) is None:
            folder = folder.parent
        if folder is not None and folder != place:
            return files.read_throttled_us(folder)
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


def _find_group(place: Path, path: str) -> Path | None:
    """Return the folder of a group below a mount; the mount itself if it shows only the part below that group."""
    for folder in (place / path.lstrip("/"), place):
        if folder.is_dir():
            return folder
    return None


def _find_version_2(own: Mapping[str, str], mounts: Mapping[str, Path]) -> list[Path]:
    """Return the folders of version 2 in which groups with all controllers can be made, the highest last."""
    place = mounts.get("")
    folder = None if place is None else _find_group(place, own.get("", "/"))
    if place is None or folder is None:
        return []
    _, *above = _climb(folder, place, CONTROLLERS, VERSION_2)
    if above:
        return above
    if not (_offers(folder) and os.access(folder, os.W_OK)):
        return []
    if not enable(folder):
        _move_members(folder)
    return [folder] if enable(folder) and _can_make_group(folder) else []


def _climb(folder: Path, place: Path, controllers: Sequence[str], files: ControllerFiles) -> list[Path]:
    """Return a group and those above it up to the highest in which boxes may be made. `place` is the mount."""
    found = [folder]
    while folder != place and _may_leave(folder, controllers, files):
        folder = folder.parent
        is_usable = files is not VERSION_2 or (_offers(folder) and enable(folder))
        if not (os.access(folder, os.W_OK) and is_usable and _can_make_group(folder)):
            break
        found.append(folder)
    return found


def _may_leave(folder: Path, controllers: Sequence[str], files: ControllerFiles) -> bool:
    """Return whether boxes may be made outside of a group."""
    return not _is_bounded(folder, controllers, files) and not _is_delegated(folder)


def _is_bounded(folder: Path, controllers: Sequence[str], files: ControllerFiles) -> bool:
    """Return whether a group has a limit, which boxes made outside of it would evade."""
    names = {"memory": files.memory, "pids": PROCESSES, "cpu": files.quota}
    return any(read_limit(folder / names[controller]) is not None for controller in controllers)


def _is_delegated(folder: Path) -> bool:
    """Return whether systemd has given a group away: what is above it belongs to systemd alone."""
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _offers(folder: Path) -> bool:
    """Return whether a group has all controllers."""
    return names_controllers(folder / "cgroup.controllers")


def _move_members(folder: Path) -> None:
    """Move the processes of a group into a group of their own below it."""
    with contextlib.suppress(OSError):
        own = folder / _OWN_GROUP
        own.mkdir(exist_ok=True)
        for pid in (folder / MEMBERS).read_text(encoding="ascii").split():
            with contextlib.suppress(OSError):  # it has just ended
                (own / MEMBERS).write_text(pid, encoding="ascii")


def _can_make_group(folder: Path) -> bool:
    """Return whether a group can be made below another, by trying it."""
    trial = folder / f"{PREFIX}trial-{os.getpid()}-{threading.get_ident()}"  # several threads may try at once
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError:
        return False
    return True
