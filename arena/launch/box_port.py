"""The port through which the launcher starts programs: a backend prepares a box for each, and the box answers for it.

A *box* is the place in which one program runs once. `UnboxedBackend` is the plain way, without any isolation: the
program runs as the arena's own user. `arena.sandbox` has the backends that isolate.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from arena.launch.programs import BotProgram

NICENESS: Final = 5
"""The priority of programs, so that a busy one delays no other part of the arena."""
_STARTER: Final = Path(__file__).with_name("starter.py")


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

    def close(self) -> None:
        """Remove what the box needed. Call it once every process of the box was killed."""


class BoxBackend(Protocol):
    """Makes boxes of one kind."""

    @property
    def name(self) -> str:
        """The name of the kind: "none", "bubblewrap" or "oci"."""

    @property
    def address(self) -> str | None:
        """The address at which programs in these boxes reach the server; None means the same as outside."""

    def prepare(self, name: str, program: BotProgram, command: Sequence[str], environment: Mapping[str, str]) -> Box:
        """Return a new box for a command of a program. Raises BotStartError, IsolationError, EnvironmentFaultError.

        `name` is the program's name for people. The first word of `command` is the path of a program on this host.
        """

    def prepare_build(
        self, name: str, program: BotProgram, command: Sequence[str], environment: Mapping[str, str]
    ) -> Box:
        """Return a new box for a build command, which runs in a copy of the program's folder.

        If the build succeeds, the box writes the folder as a tar archive to stdout. What the build prints goes to
        stderr. Raises what `prepare` raises.
        """


_BUILD_SCRIPT: Final = 'cp -R "$0"/. "$1" && cd "$1" && shift && "$@" >&2 && exec tar -cf - .'
_BUILD_HERE_SCRIPT: Final = """place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT &&
cp -R "$0"/. "$place" && cd "$place" && "$@" >&2 && tar -cf - ."""


def build_command(command: Sequence[str], source: str, target: str) -> list[str]:
    """Return the command that runs a build in a copy of a folder, and then writes the copy as a tar archive."""
    return ["/bin/sh", "-c", _BUILD_SCRIPT, source, target, *command]


@dataclass(frozen=True, slots=True)
class StartSteps:
    """What the starter does between the fork and the program. Each step needs Linux unless it says otherwise."""

    groups: Sequence[str] = ()
    """Files of cgroups, to each of which the new process writes its id."""
    mounts: Sequence[tuple[str, str]] = ()
    """Files and folders to show below /run in a mount namespace of the new process: each with its place there."""
    user: int | None = None
    """The user and group that the new process becomes."""
    resources: Mapping[str, int] | None = None
    """Limits of the new process by name, as in `RLIMIT_NAME`. Any POSIX system."""


def starter_command(command: Sequence[str], steps: StartSteps = StartSteps()) -> list[str]:
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
    return [*words, "--", *command]


@dataclass(frozen=True, slots=True)
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

    def close(self) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class UnboxedBackend:
    """Starts programs without isolation."""

    name: str = "none"
    address: str | None = None

    def prepare(
        self,
        name: str,  # noqa: ARG002  another backend names it in errors
        program: BotProgram,
        command: Sequence[str],
        environment: Mapping[str, str],
    ) -> UnboxedProgram:
        """Return a program that the arena's user starts in the program's own folder."""
        words = command if sys.platform == "win32" else starter_command(command)
        return UnboxedProgram(words, environment, program.folder)

    def prepare_build(
        self, name: str, program: BotProgram, command: Sequence[str], environment: Mapping[str, str]
    ) -> UnboxedProgram:
        """Return a build that the arena's user runs in a copy of the folder, which the build itself removes."""
        words = ["/bin/sh", "-c", _BUILD_HERE_SCRIPT, str(program.folder), *command]
        return self.prepare(name, program, words, environment)


UNBOXED: Final = UnboxedBackend()
