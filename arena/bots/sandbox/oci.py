"""Boxes made by a container engine: podman or docker, with the least rights that a bot needs.

The program is shown at /bot as in other boxes. An image brings its language: a program that belongs to the host, such
as the arena's Python, is looked up by its name in the image. Only images that the host has are used: another one could
fill the disk, and its author could change it after the check. The engine's client runs as long as the container does.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.box_port import BOT_FOLDER, BOX_SOCKET, SOURCE_FOLDER, BoxRequest, starter_command
from arena.bots.launch.programs import IMAGE_PREFIX, BotProgram
from arena.bots.sandbox.box_makers import (
    PREFIX,
    children_of,
    describe_signal,
    hold_data,
    is_abandoned,
    is_killed,
    make_name,
)
from arena.bots.sandbox.cgroups.group_places import read_throttled_us
from arena.bots.sandbox.seccomp import describe_filter
from arena.bots.sandbox.view import (
    CORE_BYTES,
    SCRATCH_FOLDER,
    Shown,
    command_inside,
    describe_limits,
    shown_files,
    split_scratch,
)
from arena.errors import BotStartError, IsolationError

ENGINES: Final = ("podman", "docker")
BOX_USER: Final = 61_184
"""The user of programs in containers, which the base images know."""
DEFAULT_IMAGE: Final = f"{IMAGE_PREFIX}python"
_CALL_TIME_S: Final = 20.0
_PID_POLL_S: Final = 0.2
_CPU_SHARES: Final = 1024
"""The usual share of the CPU under load, as engines count it."""
ENGINE_VARIABLES: Final = ("PATH", "HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST")
"""Variables that the engine's client gets. Those of the program must not reach it."""
_ENGINE_FAILED: Final = 125
"""The exit code of `run` if the engine itself failed."""
_HOST_VARIABLES: Final = ("PATH", "HOME", "LANG")


@dataclass(frozen=True, slots=True)
class OciBackend:
    """Makes boxes with podman or docker. Raises IsolationError if neither is installed.

    `image` is for programs that name none. `slice` is the control group below which the engine makes containers, or the
    slice of systemd; empty means its default. The other values are those of `BubblewrapBackend`; each of `box_paths` is
    shown at its own path in the container.
    """

    box_paths: Sequence[Path] = ()
    most: BoxLimits | None = None
    image: str = DEFAULT_IMAGE
    slice: str = ""
    name: str = "oci"
    _engine: str = field(default_factory=lambda: _find_engine())  # noqa: PLW0108  it is defined below

    def __post_init__(self) -> None:
        _remove_abandoned(self._engine)

    def prepare(self, request: BoxRequest) -> "OciBox":
        """Return a new box. Raises BotStartError if the program has a variable with a line end."""
        name, program = request.name, request.program
        own = {**describe_limits(program.limits), **self._variables_inside(program, request.environment)}
        for variable, text in own.items():
            if "\n" in text:
                raise BotStartError(f"{name} cannot have the variable {variable} in a container: it has a line end")
        container, mounts, rules = make_name(), self._mount_options(request), describe_filter()
        program_inside, *arguments = self._command_inside(program, request.command)
        variables = hold_data("".join(f"{variable}={text}\n" for variable, text in own.items()).encode())
        filter_rules = hold_data(rules.encode())
        words = [
            *(self._engine, "run", "--rm", "--interactive", "--init", "--pull", "never", "--name", container),
            *_isolation_options(program.limits),
            *(("--cgroup-parent", self.slice) if self.slice else ()),
            *("--security-opt", f"seccomp=/proc/self/fd/{filter_rules}"),
            *mounts,
            *_copy_options(program.limits, is_build=request.is_build),
            *("--env-file", f"/proc/self/fd/{variables}", "--workdir", BOT_FOLDER),
            *("--entrypoint", program_inside, program.image or self.image, *arguments),
        ]
        return OciBox(starter_command(words), (variables, filter_rules), self._engine, container, program.limits)

    def _mount_options(self, request: BoxRequest) -> list[str]:
        """Return the options that show the program, toolchains, what else is asked for, and the server's socket."""
        place = SOURCE_FOLDER if request.is_build else BOT_FOLDER
        shown = [*shown_files(request.program, place), *(Shown(folder, str(folder)) for folder in self.box_paths)]
        shown += [Shown(source, place) for place, source in request.shown.items()]
        if request.socket is not None:
            shown.append(Shown(request.socket, BOX_SOCKET))
        options: list[str] = []
        for each in shown:
            if "," in str(each.source):
                raise BotStartError(f"a container engine cannot show {each.source}: its path has a comma")
            options += ["--mount", f"type=bind,source={each.source},target={each.place},readonly"]
        return options

    def _command_inside(self, program: BotProgram, command: Sequence[str]) -> list[str]:
        """Return a command as it is right in the image."""
        first, *rest = command_inside(program, command)
        places = (BOT_FOLDER, *map(str, self.box_paths))
        is_shown = any(first == place or first.startswith(f"{place}/") for place in places)
        own_python = "python3" if first == sys.executable else Path(first).name
        return [first if is_shown else own_python, *rest]

    def _variables_inside(self, program: BotProgram, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of a program. The image has its own PATH."""
        given = {
            name: text
            for name, text in environment.items()
            if name not in _HOST_VARIABLES or (name in program.environment and name != "PATH")
        }
        inside = dict(zip(given, command_inside(program, list(given.values())), strict=True))
        return {"HOME": SCRATCH_FOLDER, "TMPDIR": SCRATCH_FOLDER, "LANG": "C.UTF-8", **inside}


def _isolation_options(limits: BoxLimits) -> list[str]:
    """Return the options that take every right away, and those of the limits."""
    scratch, shared = split_scratch(limits)
    options = [
        *("--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--ipc", "private", "--hostname", "box", "--user", f"{BOX_USER}:{BOX_USER}"),
        *("--pids-limit", str(limits.processes), "--memory", f"{limits.memory_mb}m"),
        *("--memory-swap", f"{limits.memory_mb}m", "--cpus", f"{limits.cpus:g}"),
        *("--cpu-shares", str(_CPU_SHARES), "--shm-size", str(shared)),
        *("--tmpfs", f"{SCRATCH_FOLDER}:rw,exec,nosuid,nodev,size={scratch}"),
    ]
    file_bytes = limits.file_mb << 20
    ulimits = {"core": CORE_BYTES, "nofile": limits.open_files, "fsize": file_bytes, "cpu": limits.cpu_seconds}
    for name, value in ulimits.items():
        if value is not None:
            options += ["--ulimit", f"{name}={_lower_to_own(name, value)}"]
    return options


def _lower_to_own(name: str, value: int) -> int:
    """Return a limit that an engine without root may set: at most this process's own. Below sudo, it is 0 for core."""
    import resource  # noqa: PLC0415  Windows has none, and this module is read there too

    _, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))
    return value if os.geteuid() == 0 or hard == resource.RLIM_INFINITY else min(value, hard)


def _copy_options(limits: BoxLimits, *, is_build: bool) -> list[str]:
    """Return the option for the copy in which a build runs, which is as large as its /tmp."""
    size = split_scratch(limits)[0]
    return ["--tmpfs", f"{BOT_FOLDER}:rw,exec,nosuid,nodev,size={size},mode=1777"] if is_build else []


class OciBox:
    """A box made by a container engine."""

    folder: Final = Path("/")
    seen_folder: Final = Path(BOT_FOLDER)

    def __init__(
        self, command: Sequence[str], descriptors: Sequence[int], engine: str, container: str, limits: BoxLimits
    ) -> None:
        self.command = command
        self.descriptors = descriptors
        self._engine = engine
        self._container = container
        self._limits = limits
        self._program_pid: int | None = None
        self._throttled_us = 0
        self._search: threading.Thread | None = None
        self._closed = threading.Event()

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of the engine's client."""
        return _engine_environment()

    def find_program_pid(self, pid: int) -> int | None:  # noqa: ARG002  the program is a child of the engine, not of it
        """Return the id of the container's process. It is asked for in a thread, since the engine takes its time."""
        if self._search is None:
            self._search = threading.Thread(target=self._search_pid, name=f"pid of {self._container}", daemon=True)
            self._search.start()
        return self._program_pid

    def _search_pid(self) -> None:
        """Ask the engine for the process until it runs. With `--init`, the program is the child of that process."""
        while not self._closed.wait(_PID_POLL_S) and self._program_pid is None:
            text = _call_engine(self._engine, "inspect", "--format", "{{.State.Pid}}", self._container)
            if text.isdecimal() and int(text):
                self._program_pid = next(children_of(int(text)), None)

    def signal(self, pid: int, number: int) -> None:
        """Send a signal to the program. SIGKILL removes the container, and ends the engine's client."""
        if number == signal.SIGKILL:
            _call_engine(self._engine, "rm", "--force", self._container)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)
            return
        _call_engine(self._engine, "kill", "--signal", str(number), self._container)

    def throttled_us(self) -> int:
        """Return for how long the CPU quota has stopped the program so far; 0 as long as its process is not known."""
        pid = self.find_program_pid(0)
        if pid is not None:
            self._throttled_us = max(self._throttled_us, read_throttled_us(pid))
        return self._throttled_us

    def describe_end(self, code: int) -> str | None:
        """Return which signal killed the program. The engine forgets whether memory ran out."""
        if code == _ENGINE_FAILED:
            return "was not started: the container engine failed"
        if is_killed(code):
            return f"was killed by SIGKILL, as if it had used more than {self._limits.memory_mb} MB of memory"
        return describe_signal(code)

    def is_host_fault(self, code: int) -> bool:
        """Return whether the engine failed. Whether other boxes took the memory, it does not tell."""
        return code == _ENGINE_FAILED

    def close(self) -> None:
        """End the search for the process. The container has been removed."""
        self._closed.set()


def _find_engine() -> str:
    found = next((path for engine in ENGINES if (path := shutil.which(engine)) is not None), None)
    if found is None:
        raise IsolationError(["no container engine is installed (podman or docker)"])
    return found


def _engine_environment() -> dict[str, str]:
    known = {name: os.environ[name] for name in ENGINE_VARIABLES if name in os.environ}
    return {"PATH": os.defpath, **known}


def _call_engine(engine: str, *words: str) -> str:
    """Run a short command of the engine, and return what it printed; empty if it failed."""
    try:
        ended = subprocess.run(  # noqa: S603  the engine is the host's own program
            [engine, *words],
            env=_engine_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_CALL_TIME_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout.strip() if ended.returncode == 0 else ""


def _remove_abandoned(engine: str) -> None:
    """Remove the containers of arenas that no longer run."""
    names = _call_engine(engine, "ps", "--all", "--filter", f"name={PREFIX}", "--format", "{{.Names}}").split()
    for name in filter(is_abandoned, names):
        _call_engine(engine, "rm", "--force", name)
