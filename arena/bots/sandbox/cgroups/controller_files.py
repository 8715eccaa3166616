"""Version 2 of control groups: how it names limits, in which units, and where a process may make groups for boxes.

Version 1 is in `version_1`, which overrides what is different there. Source: the kernel's documentation, "Control Group
v2".
"""

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from arena.bots.sandbox.box_makers import PREFIX

CONTROLLERS: Final = {"memory": "memory", "pids": "the number of processes", "cpu": "the CPU"}
"""The controllers that boxes need, with what each of them limits."""
MEMBERS: Final = "cgroup.procs"
"""The file with the ids of a group's processes. To write an id moves a process."""
PROCESSES: Final = "pids.max"
"""The file that limits the number of processes, with threads."""
PERIOD_US: Final = 100_000
"""The period of the CPU quota in microseconds, the kernel's default."""
_OWN_GROUP: Final = "arena"
_NO_LIMIT: Final = 1 << 62
"""Version 1 writes no limit as a number of bytes that no machine has."""


class Places(NamedTuple):
    """Where groups of boxes can be made."""

    folders: Mapping[str, Path]
    """The parent folder for each controller; one folder for all in version 2."""
    missing: Sequence[str] = ()
    """A sentence for each controller that cannot be used."""
    searched: Sequence[Path] = ()
    """Further folders in which an earlier arena may have left groups."""


class ControllerFiles:
    """The files of version 2, which has one tree for all controllers."""

    memory: ClassVar[str] = "memory.max"
    weight: ClassVar[tuple[str, int]] = ("cpu.weight", 100)
    """The file with the share of the CPU under load, and what is usual: as much as a session of ordinary programs."""
    quota: ClassVar[str] = "cpu.max"
    oom_kills: ClassVar[tuple[str, str]] = ("memory.events", "oom_kill")
    """The file and the line that count the processes of a group that were killed because memory ran out, anywhere."""
    throttled: ClassVar[tuple[str, int]] = ("throttled_usec", 1)
    """The line of cpu.stat with the time of throttling, and how many of its units are a microsecond."""
    controller: ClassVar[str] = ""
    """The name in /proc of the tree that limits the CPU."""

    def limits(self, memory: int, quota_us: int, _above: Path | None) -> Iterator[tuple[str, str, str, bool]]:
        """Yield controller, file and value of each limit of a box, and whether the box needs the file.

        `memory` is in bytes, `quota_us` the CPU time in a period. The last argument is the CPU's group of all boxes.
        """
        yield "memory", self.memory, str(memory), True
        yield "memory", "memory.swap.max", "0", False  # missing if there is no swap space
        yield "memory", "memory.oom.group", "1", False
        yield "cpu", self.weight[0], str(self.weight[1]), False
        yield "cpu", self.quota, f"{quota_us} {PERIOD_US}", True

    def prepare(self, folder: Path) -> None:
        """Give the group of all boxes its controllers: while there was no box, systemd may have taken them away."""
        _enable(folder.parent)
        _enable(folder)

    def lower_memory(self, folder: Path, wanted: int) -> None:
        """Lower the memory of all boxes, in bytes. The kernel kills until it fits. Raises OSError."""
        lower_limit(folder / self.memory, wanted)
        with contextlib.suppress(PermissionError):  # a kernel without swap space has no such file
            lower_limit(folder / "memory.swap.max", 0)

    def lower_quota(self, folder: Path, wanted: int) -> None:
        """Lower the CPU time of all boxes in a period, in microseconds. Raises OSError."""
        lower_limit(folder / self.quota, wanted, f"{wanted} {PERIOD_US}")

    def was_full(self, folder: Path) -> bool:
        """Return whether a group has ever used all of its own memory."""
        return read_number(folder / self.oom_kills[0], "oom") > 0

    def read_throttled_us(self, folder: Path) -> int:
        """Return for how long the CPU quota has stopped a group so far, in microseconds."""
        line, divisor = self.throttled
        return read_number(folder / "cpu.stat", line) // divisor

    def find_places(self, own: Mapping[str, str], mounts: Mapping[str, Path]) -> Places:
        """Return where groups can be made. `own` has this process's group by controller, `mounts` where it is.

        Version 2 lets a group have either processes or groups with limits, not both. So the boxes are made beside the
        group of this process if that is allowed. Otherwise its processes move into a group `arena` below it first.
        """
        place, nowhere = mounts.get(""), Places({}, [describe_missing(each) for each in CONTROLLERS])
        folder = None if place is None else find_group(place, own.get("", "/"))
        if place is None or folder is None:
            return nowhere
        if above := self.climb(folder, place, CONTROLLERS)[1:]:
            return Places(dict.fromkeys(CONTROLLERS, above[-1]), (), above[:-1])
        if not (_offers(folder) and os.access(folder, os.W_OK)):
            return nowhere
        if not _enable(folder):
            _move_members(folder)
        return Places(dict.fromkeys(CONTROLLERS, folder)) if _enable(folder) and can_make_group(folder) else nowhere

    def climb(self, folder: Path, place: Path, controllers: Iterable[str]) -> list[Path]:
        """Return a group and its ancestors, nearest first, up to the highest in which boxes may be made.

        The climb ends at a group with a limit, which boxes made above it would evade; at a group that systemd has
        delegated, since whatever is above belongs to systemd; and at the mount `place`.
        """
        names, found = {"memory": self.memory, "pids": PROCESSES, "cpu": self.quota}, [folder]
        while folder != place and not _is_delegated(folder):
            if any(read_limit(folder / names[each]) is not None for each in controllers):
                break  # boxes made outside of the group would evade its limit
            folder = folder.parent
            if not (os.access(folder, os.W_OK) and self._is_usable(folder) and can_make_group(folder)):
                break
            found.append(folder)
        return found

    def _is_usable(self, folder: Path) -> bool:
        """Return whether the groups below a group can have all controllers."""
        return _offers(folder) and _enable(folder)

    def find_quota(self, folder: Path, place: Path) -> Path:
        """Return the group whose quota stops a group; the mount `place` if there is none.

        Some engines put a container into a group without a quota below the one with the quota.
        """
        while folder != place and read_limit(folder / self.quota) is None:
            folder = folder.parent
        return folder


VERSION_2: Final = ControllerFiles()


def read_limit(path: Path) -> int | None:
    """Return the first number of a file with a limit; None if there is no limit or no such file."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        limit = int(path.read_text(encoding="ascii").split()[0])  # "max" is no number
        return limit if 0 <= limit < _NO_LIMIT else None
    return None


def lower_limit(file: Path, wanted: int, text: str = "") -> None:
    """Lower a limit to what is wanted, unless it is that low already. `text` is how it is written. Raises OSError."""
    present = read_limit(file)
    if present is None or wanted < present:
        write_value(file, text or str(wanted))


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


def find_group(place: Path, path: str) -> Path | None:
    """Return the folder of a group below a mount; the mount itself if it shows only the part below that group."""
    for folder in (place / path.lstrip("/"), place):
        if folder.is_dir():
            return folder
    return None


def can_make_group(folder: Path) -> bool:
    """Return whether a group can be made below another, by trying it."""
    trial = folder / f"{PREFIX}trial-{os.getpid()}-{threading.get_ident()}"  # several threads may try at once
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError:
        return False
    return True


def describe_missing(controller: str) -> str:
    """Return the sentence for a controller that cannot be used."""
    return f"no control group can be made for {CONTROLLERS[controller]}"


def _is_delegated(folder: Path) -> bool:
    """Return whether systemd has given a group away."""
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _offers(folder: Path, name: str = "cgroup.controllers") -> bool:
    """Return whether a group has all controllers, or whether another file of it names them all."""
    with contextlib.suppress(OSError):
        return set(CONTROLLERS) <= set((folder / name).read_text(encoding="ascii").split())
    return False


def _enable(folder: Path) -> bool:
    """Let the groups below a group have all controllers. Return whether they have them."""
    name = "cgroup.subtree_control"
    with contextlib.suppress(OSError):
        if not _offers(folder, name):
            (folder / name).write_text(" ".join(f"+{each}" for each in CONTROLLERS), encoding="ascii")
        return True
    return False


def _move_members(folder: Path) -> None:
    """Move the processes of a group into a group of their own below it."""
    with contextlib.suppress(OSError):
        own = folder / _OWN_GROUP
        own.mkdir(exist_ok=True)
        for pid in (folder / MEMBERS).read_text(encoding="ascii").split():
            with contextlib.suppress(OSError):  # it has just ended
                (own / MEMBERS).write_text(pid, encoding="ascii")
