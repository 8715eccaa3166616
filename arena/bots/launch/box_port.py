"""The port through which the launcher starts programs: a backend prepares a box for each, and the box answers for it.

A *box* is the place in which one program runs once. `UnboxedBackend` is the plain way, without any isolation: the
program runs as the arena's own user. `arena.bots.sandbox` has the backends that isolate.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final, Protocol

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.programs import BotProgram
from arena.errors import IsolationError
from arena.match.value_class import value_class
from cheatarena.addresses import UNIX_PREFIX

BOT_FOLDER: Final = "/bot"
"""The place of the program's folder in every box."""
SOURCE_FOLDER: Final = "/source"
"""Where a build sees the program's folder. It works in a copy at `BOT_FOLDER`."""
BOX_SOCKET: Final = "/run/arena.sock"
"""The place of the Unix socket in every box."""
BOX_ADDRESS: Final = f"{UNIX_PREFIX}{BOX_SOCKET}"
"""The address at which a program in a box reaches the server."""
NICENESS: Final = 5
"""The priority of programs, so that a busy one delays no other part of the arena."""
_STARTER: Final = Path(__file__).with_name("starter.py")


@value_class()
class BoxRequest:
    name: str
    """The program's name for people."""
    program: BotProgram
    command: Sequence[str]
    """The command to run. Its first word is the path of a program on this host."""
    environment: Mapping[str, str]
    socket: Path | None = None
    """The Unix socket that the program finds at `BOX_SOCKET`, its only way out; None if it needs no server."""
    shown: Mapping[str, Path] = field(default_factory=dict)
    """Further folders of this host that the program may read, by their places in the box."""
    is_build: bool = False
    """Whether the program's folder is shown at `SOURCE_FOLDER`, and `BOT_FOLDER` is empty and can be written."""


class Box(Protocol):
    """One program, which runs in it once."""

    @property
    def command(self) -> Sequence[str]:
        """The command that the launcher runs. It makes the box and starts the program in it."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of that command."""

    @property
    def folder(self) -> Path:
        """The working directory of that command."""

    @property
    def seen_folder(self) -> Path:
        """The program's folder as the program sees it."""

    @property
    def descriptors(self) -> Sequence[int]:
        """Open descriptors that the command inherits. The launcher closes its own ends once the command runs."""

    def find_program_pid(self, pid: int) -> int | None:
        """Return the id of the program itself; None before it runs. `pid` is the id of the command's process."""

    def signal(self, pid: int, number: int) -> None:
        """Send a signal to every process of the program. SIGKILL ends the box whole.

        The system cannot reuse `pid` meanwhile, since the command has not been reaped.
        """

    def throttled_us(self) -> int:
        """Return for how long a CPU quota has stopped the program so far, in microseconds."""

    def describe_end(self, code: int) -> str | None:
        """Return why the program ended, as words that follow its name; None if the exit code says everything."""

    def is_host_fault(self, code: int) -> bool:
        """Return whether the program ended because this host failed it, such as by running out of memory."""

    def close(self) -> None:
        """Remove what the box needed. Call it once every process of the box was killed."""


class BoxBackend(Protocol):
    """Makes boxes of one kind."""

    @property
    def name(self) -> str:
        """The name of the kind: "none", "bubblewrap" or "oci"."""

    @property
    def most(self) -> BoxLimits | None:
        """The most that a bot may ask for; None means no bound."""

    def prepare(self, request: BoxRequest) -> Box:
        """Return a new box. Raises BotStartError, IsolationError, EnvironmentFaultError."""


OpenBoxes = Callable[[], BoxBackend]
"""Opens the backend that makes boxes. Raises IsolationError if boxes do not hold here."""


def refuse_boxes() -> BoxBackend:
    """Raise IsolationError: this part of the arena starts trusted programs only."""
    raise IsolationError(["untrusted programs are not started here"])


@value_class()
class StartSteps:
    """What the starter does between the fork and the program. Each step needs Linux unless it says otherwise."""

    groups: Sequence[str] = ()
    """The `cgroup.procs` files to which the new process writes its id."""
    mounts: Sequence[tuple[str, str]] = ()
    """Files and folders to show below /run in a mount namespace of the new process: each with its place there."""
    user: int | None = None
    """The user and group that the new process becomes."""
    gate: int | None = None
    """A Unix socket that gets the listener of a filter for `connect` (`arena.bots.sandbox.network.connection_gate`)."""
    resources: Mapping[str, int] | None = None
    """Limits of the new process by name, as in `RLIMIT_NAME`. Any POSIX system."""


def starter_command(command: Sequence[str], steps: StartSteps = StartSteps()) -> list[str]:  # noqa: B008  a value
    """Return the command that starts another one through `starter.py`, with a lower priority."""
    words = [sys.executable, "-I", "-S", str(_STARTER), str(os.getpid()), str(NICENESS)]
    for group in steps.groups:
        words += ["--group", group]
    for source, place in steps.mounts:
        words += ["--mount", source, place]
    if steps.user is not None:
        words += ["--user", str(steps.user)]
    for resource, value in (steps.resources or {}).items():
        words += ["--limit", resource, str(value)]
    if steps.gate is not None:
        words += ["--gate", str(steps.gate)]
    return [*words, "--", *command]


@value_class()
class UnboxedProgram:
    """A program in no box: in its own session and process group, as the arena's own user."""

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    descriptors: Sequence[int] = ()

    @property
    def seen_folder(self) -> Path:
        """The program's folder, which looks the same to the program."""
        return self.folder

    def find_program_pid(self, pid: int) -> int | None:
        """Return `pid`: the starter has become the program."""
        return pid

    def signal(self, pid: int, number: int) -> None:
        """Send a signal to the program's process group. A process that left the group does not get it."""
        with contextlib.suppress(OSError):  # no process is left
            if sys.platform == "win32":
                os.kill(pid, signal.SIGTERM)  # ends the process at once
            else:
                os.killpg(pid, number)

    def throttled_us(self) -> int:
        """Return 0, since there is no quota."""
        return 0

    def describe_end(self, code: int) -> str | None:  # noqa: ARG002  another box reads it
        """Return None: the exit code says everything."""
        return None

    def is_host_fault(self, code: int) -> bool:  # noqa: ARG002  as above
        return False

    def close(self) -> None:
        """Do nothing."""


@value_class()
class UnboxedBackend:
    """Starts programs without isolation."""

    name: str = "none"
    most: BoxLimits | None = None

    def prepare(self, request: BoxRequest) -> UnboxedProgram:
        """Return a program that the arena's user starts in the program's own folder."""
        words = request.command if sys.platform == "win32" else starter_command(request.command)
        return UnboxedProgram(words, request.environment, request.program.folder)


UNBOXED: Final = UnboxedBackend()
