"""Starts bots as processes, with a minimal environment, and ends them all when it is closed.

A backend prepares a box for each program (`box_port`). On Linux the kernel ends a bot when the arena is killed
(`starter`). On other systems the bot has to notice that the connection is gone.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from arena.bots.launch.box_port import BOX_ADDRESS, UNBOXED, Box, BoxBackend, BoxRequest, OpenBoxes, refuse_boxes
from arena.bots.launch.output import DEFAULT_CAP_BYTES, OutputCapture
from arena.bots.launch.process import DRAIN_TIMEOUT_S, TERMINATE_TIMEOUT_S, BotProcess, end_all
from arena.bots.launch.programs import BotProgram, resolve_command
from arena.errors import BotStartError, BuildFailedError, CrowdedHostError, EnvironmentFaultError
from cheatarena.addresses import UNIX_PREFIX
from cheatarena.tls_settings import TlsSettings

_BUILD_TIMEOUT_S: Final = 900.0
_DEFAULT_TLS: Final = TlsSettings()
_INHERITED_VARIABLES: Final = ("PATH", "HOME", "LANG")
_INHERITED_WINDOWS_VARIABLES: Final = ("SYSTEMROOT", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA")


class Launcher:
    """Starts programs. It is a context manager that always ends them all on exit.

    `folder` receives the captured output. `open_boxes` opens what makes boxes, when the first program needs one. `tls`
    says how programs without a box secure their connections. `echo` is called from other threads with each line that a
    program writes; the program's name precedes the line. On Linux, the priority of programs is lower than usual by
    `more_niceness`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        open_boxes: OpenBoxes = refuse_boxes,
        cap_bytes: int = DEFAULT_CAP_BYTES,
        echo: Callable[[str], None] | None = None,
        tls: TlsSettings = _DEFAULT_TLS,
        more_niceness: int = 0,
    ) -> None:
        self._folder = folder
        self._open_boxes = open_boxes
        self._boxes: BoxBackend | None = None
        self._boxes_lock = threading.Lock()
        self._tls = tls
        self._cap_bytes = cap_bytes
        self._echo = echo
        self._processes: list[BotProcess] = []
        self._lock = threading.Lock()
        self._is_closed = False
        # The kernel ends a bot with the *thread* that started it, so that thread must live as long as the launcher.
        self._starter = ThreadPoolExecutor(1, "launcher", partial(_lower_priority, more_niceness))

    @property
    def running(self) -> Sequence[BotProcess]:
        """Processes started and not yet stopped by the launcher, in the order of their start.

        Some may have exited by themselves.
        """
        with self._lock:
            return tuple(process for process in self._processes if not process.is_over)

    def start(self, program: BotProgram, *, address: str, token: str, instance: str, name: str = "") -> BotProcess:
        """Start a program, with address, token, instance and TLS settings in its environment.

        `name` is the program's name at the table, by default its own name. A program in a box reaches only an address
        `unix:PATH`. Raises BotStartError if the program cannot be started or asks for more than this host allows,
        IsolationError if it needs a box and no box holds here, EnvironmentFaultError if this host fails it.
        """
        credentials = {"CHEATARENA_ADDRESS": address, "CHEATARENA_TOKEN": token, "CHEATARENA_INSTANCE": instance}
        socket = None
        if program.is_boxed:
            program.limits.check_against(self._choose_backend(program).most, program.name)
            socket = Path(address.removeprefix(UNIX_PREFIX)) if address.startswith(UNIX_PREFIX) else None
            credentials["CHEATARENA_ADDRESS"] = BOX_ADDRESS
        else:
            credentials |= self._tls.to_environment()
        variables = _build_environment(program.environment) | program.private_variables | credentials
        command = resolve_command(program.command, program.folder, variables["PATH"])
        request = BoxRequest(name or program.name, program, command, variables, socket)
        return self._starter.submit(self._start, request).result()

    def build(
        self,
        program: BotProgram,
        time_s: float = _BUILD_TIMEOUT_S,
        *,
        result: int | None = None,
        socket: Path | None = None,
        shown: Mapping[str, Path] | None = None,
    ) -> None:
        """Run a program's build command, if it has one, and wait for its end.

        `result` is a descriptor that gets what the command writes to stdout; without it, stdout belongs to the
        captured output. In a box, `socket` is the command's only way out, and `shown` are folders that it may read
        besides the program's, by their places in the box. Raises BotStartError if the command fails or takes longer
        than `time_s` seconds, IsolationError as `start` does, and CrowdedHostError if this host fails the command.
        """
        if not program.build:
            return
        variables = _build_environment(program.environment)
        command = resolve_command(program.build, program.folder, variables["PATH"])
        is_build = result is not None
        request = BoxRequest(f"{program.name} build", program, command, variables, socket, shown or {}, is_build)
        process = self._starter.submit(self._start, request, result).result()
        is_over = process.wait(time_s)
        how = process.describe_state() if is_over else f"took longer than {time_s:g} s"
        process.end()
        if process.is_host_fault:
            raise CrowdedHostError(f"the build of {program.name} {how}")
        if process.exit_code != 0:
            last = "".join(f": {line}" for line in process.tail(1))
            raise BuildFailedError(f"the build of {program.name} {how}{last}", process.output_path)

    def close(self, grace_s: float = TERMINATE_TIMEOUT_S) -> None:
        """End all started programs, as `BotProcess.end` does. A second call has no effect."""
        with self._lock:
            self._is_closed = True
        try:
            end_all(self._processes, grace_s)
        finally:
            self._starter.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _choose_backend(self, program: BotProgram) -> BoxBackend:
        """Return the backend that starts a program. Raises IsolationError if it needs a box and no box holds here."""
        if not program.is_boxed:
            return UNBOXED
        with self._boxes_lock:
            if self._boxes is None:
                self._boxes = self._open_boxes()
            return self._boxes

    def _start(self, request: BoxRequest, result: int | None = None) -> BotProcess:
        """Start a process and remember it, so that the launcher ends it if the caller is interrupted.

        `result` is the descriptor for stdout; None if stdout belongs to the output.
        """
        with self._lock:
            if self._is_closed:
                raise BotStartError(f"{request.name} was not started: the launcher is closed")
            try:
                process = self._spawn(request, result)
            except OSError as error:  # there is no descriptor left, or no memory
                raise EnvironmentFaultError(f"{request.name} cannot be started: {error.strerror}") from error
            self._processes = [known for known in self._processes if not known.is_over] + [process]
        return process

    def _spawn(self, request: BoxRequest, result: int | None) -> BotProcess:
        """Start a process in a box of its own, with its output captured in its own file."""
        box = self._choose_backend(request.program).prepare(request)
        try:
            popen, output = self._run(request.name, box, result)
        except BaseException:
            box.close()
            raise
        finally:
            for descriptor in box.descriptors:
                os.close(descriptor)
        return BotProcess(request.name, request.program, box, popen, output)

    def _run(self, name: str, box: Box, result: int | None) -> tuple[subprocess.Popen[bytes], OutputCapture]:
        reading, writing = os.pipe()
        try:
            output = OutputCapture(reading, name, self._folder, self._cap_bytes, self._echo)
        except BaseException:
            os.close(reading)
            os.close(writing)
            raise
        try:
            popen = _popen(box, writing, writing if result is None else result)
        except OSError as error:
            os.close(writing)
            output.finish(DRAIN_TIMEOUT_S)
            raise BotStartError(f"{name} cannot be started: {error.strerror} ({box.command[0]})") from error
        os.close(writing)
        return popen, output


def _lower_priority(niceness: int) -> None:
    """Lower the priority of this thread, and of what it starts. Elsewhere than on Linux it is that of the process."""
    if niceness and sys.platform == "linux":
        with suppress(OSError):  # a sandbox may refuse it
            os.nice(niceness)


def _popen(box: Box, errors: int, output: int) -> subprocess.Popen[bytes]:
    """Run the command of a box in its own session, at a lower priority."""
    isolation: dict[str, Any] = {"start_new_session": True, "pass_fds": box.descriptors}
    if sys.platform == "win32":
        isolation = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.BELOW_NORMAL_PRIORITY_CLASS}
    return subprocess.Popen(  # noqa: S603  running other people's programs is the purpose
        box.command,
        cwd=box.folder,
        env=box.environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        **isolation,
    )


def _build_environment(own: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program: its own variables, and a few variables of the arena that hold no secret."""
    names = _INHERITED_VARIABLES + (_INHERITED_WINDOWS_VARIABLES if sys.platform == "win32" else ())
    inherited = {name: os.environ[name] for name in names if name in os.environ}
    return {"PATH": os.defpath, "LANG": "C.UTF-8"} | inherited | dict(own)
