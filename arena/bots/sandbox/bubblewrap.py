"""Boxes made with bubblewrap: namespaces, read-only files, a filter for system calls, control groups and rlimits.

    Launcher ─▶ starter.py (groups, mounts, user, limits) ─exec─▶ bwrap ─▶ bwrap, process 1 of the box ─▶ the program

An arena that runs as root gives up root before it makes the box: a box of root's would be root for the files of
/proc/sys, whatever namespace it is in. The mounts make the program's files reachable for the new user.
"""

import itertools
import os
import secrets
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.bots.launch.box_limits import DEFAULT_TOTALS, BoxLimits, BoxTotals
from arena.bots.launch.box_port import BOT_FOLDER, BOX_SOCKET, SOURCE_FOLDER, BoxRequest, StartSteps, starter_command
from arena.bots.sandbox.box_makers import hold_data
from arena.bots.sandbox.bubblewrap_box import BubblewrapBox
from arena.bots.sandbox.cgroups.group_places import GroupTree, find_group_tree
from arena.bots.sandbox.network.connection_gate import MOST_BUILD_CONNECTIONS, MOST_CONNECTIONS, ConnectionGate
from arena.bots.sandbox.seccomp import build_filter
from arena.bots.sandbox.view import (
    CORE_BYTES,
    SCRATCH_FOLDER,
    Shown,
    command_inside,
    environment_inside,
    shown_files,
    shown_toolchains,
    split_scratch,
    system_options,
)
from arena.errors import BotStartError, IsolationError

USERS: Final = range(61_184, 65_520)
"""The users of boxes if the arena runs as root: systemd's range for dynamic users. They own no files.

Each box has another one, because the kernel limits some things for each user, such as watches of epoll. A box that
uses them up harms no other.
"""
_NUMBERS: Final = itertools.count(secrets.randbelow(len(USERS)))
INNER_USER: Final = 1000
"""The user that a program in a box seems to be."""
_OTHERS_MAY_READ: Final = 0o004
_OTHERS_MAY_PASS: Final = 0o001
_LOCKED_BYTES: Final = 64 * 1024

_ISOLATION: Final = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--cap-drop", "ALL", "--hostname", "box", "--uid", str(INNER_USER), "--gid", str(INNER_USER)),
)
_READ_ONLY: Final = ("/proc", "/dev", "/")
"""What nobody may change once the box is made. In /proc, a program could say that the kernel should rather kill the
server than itself when memory runs out (`oom_score_adj`)."""
_ACCOUNTS: Final = {
    "/etc/passwd": f"bot:x:{INNER_USER}:{INNER_USER}::{SCRATCH_FOLDER}:/bin/sh\n",
    "/etc/group": f"bot:x:{INNER_USER}:\n",
    "/etc/hosts": "127.0.0.1 localhost box\n::1 localhost\n",
}


@dataclass(frozen=True, slots=True)
class BubblewrapBackend:
    """Makes boxes with bubblewrap. Raises IsolationError if there is no bubblewrap.

    `box_paths` are folders with toolchains that programs may read. `most` is the most that a bot may ask for. If
    `is_strict`, a box is refused when a part of its isolation is missing. `totals` are for all boxes of the machine;
    if `is_apart`, only for those of this backend, which then share nothing with others. `tree` is where their control
    groups are.
    """

    box_paths: Sequence[Path] = ()
    most: BoxLimits | None = None
    is_strict: bool = True
    totals: BoxTotals = DEFAULT_TOTALS
    is_apart: bool = False
    name: str = "bubblewrap"
    tree: GroupTree = field(default_factory=lambda: find_group_tree())  # noqa: PLW0108  tests replace it
    _program: str = field(default_factory=lambda: _find_bubblewrap())  # noqa: PLW0108  it is defined below

    def __post_init__(self) -> None:
        self.tree.remove_abandoned()
        if self.is_strict and self.tree.missing:
            raise IsolationError(self.tree.missing)
        object.__setattr__(self, "tree", self.tree.bound(self.totals, is_apart=self.is_apart))

    def throttled_us(self) -> int:
        """Return for how long the quota of all boxes together has stopped them so far, in microseconds."""
        return self.tree.common.throttled_us()

    def prepare(self, request: BoxRequest) -> BubblewrapBox:
        """Return a new box.

        Raises BotStartError if the user of boxes cannot read the program's files, IsolationError if the filter for
        system calls is missing, EnvironmentFaultError.
        """
        return _BoxMaker(self, self._program, request).make()


class _BoxMaker:
    def __init__(self, backend: BubblewrapBackend, bubblewrap: str, request: BoxRequest) -> None:
        self._backend = backend
        self._bubblewrap = bubblewrap
        self._request = request
        self._name = request.name
        self._program = request.program
        self._user = _choose_user() if os.geteuid() == 0 else None
        self._mounts: list[tuple[str, str]] = []
        self._descriptors: list[int] = []
        self._has_filter = False

    def make(self) -> BubblewrapBox:
        command, environment, limits = self._request.command, self._request.environment, self._program.limits
        toolchains = shown_toolchains(self._backend.box_paths)
        try:
            options = self._options(toolchains, environment_inside(self._program, environment, toolchains, limits))
            words = [*self._pass_options(options), "--", *command_inside(self._program, command)]
            gate = self._open_gate()
            group = self._backend.tree.make_group(limits) if self._backend.tree.folders else None
        except BaseException:
            for descriptor in self._descriptors:
                os.close(descriptor)
            raise
        steps = StartSteps(
            groups=() if group is None else group.member_files,
            mounts=self._mounts,
            user=self._user,
            gate=None if gate is None else gate.starter_end,
            resources=_resource_limits(limits),
        )
        return BubblewrapBox(starter_command(words, steps), tuple(self._descriptors), group, gate, limits)

    def _options(self, toolchains: Sequence[Shown], environment: Mapping[str, str]) -> list[str]:
        scratch, shared = split_scratch(self._program.limits)
        options = [*_ISOLATION, *system_options(), "--proc", "/proc", "--dev", "/dev"]
        options += ["--size", str(scratch), "--tmpfs", SCRATCH_FOLDER]
        options += ["--size", str(shared), "--tmpfs", "/dev/shm"]  # noqa: S108  a tmpfs of the box
        if self._request.is_build:
            options += ["--size", str(scratch), "--tmpfs", BOT_FOLDER]
        own = shown_files(self._program, SOURCE_FOLDER if self._request.is_build else BOT_FOLDER)
        for shown in (*toolchains, *own):
            options += ["--ro-bind", self._reachable(shown.source), shown.place]
        for place, source in self._request.shown.items():
            options += ["--ro-bind", self._reachable(source), place]
        if self._request.socket is not None:
            options += ["--ro-bind", self._reachable(self._request.socket), BOX_SOCKET]
        for place, text in _ACCOUNTS.items():
            options += ["--perms", "0444", "--file", str(self._hold(text.encode())), place]
        options += self._filter_options()
        for place in _READ_ONLY:
            options += ["--remount-ro", place]
        options += ["--chdir", self._inner_folder()]
        options.append("--clearenv")
        for variable, text in environment.items():
            options += ["--setenv", variable, text]
        return options

    def _filter_options(self) -> list[str]:
        """Return the option for the filter of system calls. Raises IsolationError if there is none here."""
        try:
            options = ["--seccomp", str(self._hold(build_filter()))]
        except IsolationError:
            if self._backend.is_strict:
                raise
            return []
        self._has_filter = True
        return options

    def _open_gate(self) -> ConnectionGate | None:
        """Return the gate that limits the box's connections; None without a filter. It ends if it gets no starter."""
        if not self._has_filter:
            return None
        gate = ConnectionGate(MOST_BUILD_CONNECTIONS if self._request.is_build else MOST_CONNECTIONS)
        self._descriptors.append(gate.starter_end)
        return gate

    def _inner_folder(self) -> str:
        """Return the working directory in the box. A command without own files has no folder there."""
        return BOT_FOLDER if shown_files(self._program) else SCRATCH_FOLDER

    def _reachable(self, source: Path) -> str:
        """Return the path at which bubblewrap finds a file or folder, which a mount makes reachable for its user."""
        if self._user is None:
            return str(source)
        self._check_readable(source)
        place = f"/run/{len(self._mounts)}"
        self._mounts.append((str(source), place))
        return place

    def _check_readable(self, source: Path) -> None:
        try:
            status = source.stat()
        except OSError as error:
            raise BotStartError(f"{self._name} needs {source}: {error.strerror}") from error
        needed = _OTHERS_MAY_READ | (_OTHERS_MAY_PASS if source.is_dir() else 0)
        if status.st_mode & needed != needed:
            raise BotStartError(
                f"the box of {self._name} cannot show {source}: its user may not read it (chmod -R a+rX {source})"
            )

    def _pass_options(self, options: Sequence[str]) -> list[str]:
        """Return the command of bubblewrap. Other users see no options, since it reads them from a descriptor."""
        return [self._bubblewrap, "--args", str(self._hold("\0".join(options).encode()))]

    def _hold(self, data: bytes) -> int:
        self._descriptors.append(hold_data(data))
        return self._descriptors[-1]


def _choose_user() -> int:
    """Return the user of the next box. Other processes of the arena begin elsewhere in the range."""
    return USERS[next(_NUMBERS) % len(USERS)]


def _resource_limits(limits: BoxLimits) -> dict[str, int]:
    """Return the limits of each process. Address space has none: Node, Java and Go reserve far more than they use."""
    cpu = {} if limits.cpu_seconds is None else {"CPU": limits.cpu_seconds}
    return {
        "CORE": CORE_BYTES,
        "NOFILE": limits.open_files,
        "FSIZE": limits.file_mb << 20,
        "MEMLOCK": _LOCKED_BYTES,
        "MSGQUEUE": 0,
        **cpu,
    }


def _find_bubblewrap() -> str:
    if sys.platform != "linux":
        raise IsolationError(["boxes need Linux"])
    found = shutil.which("bwrap", path=os.environ.get("PATH", os.defpath))
    if found is None:
        raise IsolationError(["bubblewrap is missing (install the package bubblewrap, 0.8 or newer)"])
    return str(Path(found).resolve())
