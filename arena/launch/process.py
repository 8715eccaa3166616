"""Bots as processes: started with a minimal environment, and ended together with all processes that they forked.

A backend prepares a box for each program (`box_port`), and the box signals the program and says why it ended. Without
isolation a program has its own session and process group. So a Ctrl-C meant for the arena does not reach the program,
and a signal to the group reaches every process that the program forked, unless it has moved to another session. On
Linux the kernel ends a bot when the arena is killed (`starter`). On other systems the bot has to notice that the
connection is gone.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from arena.errors import BotStartError, BuildFailedError, CrowdedHostError
from arena.launch.box_port import BOX_ADDRESS, UNBOXED, Box, BoxBackend, BoxRequest, OpenBoxes, refuse_boxes
from arena.launch.exit_reason import SCAN_LINES, describe_early_end, find_python_error
from arena.launch.output import DEFAULT_CAP_BYTES, OutputCapture
from arena.launch.programs import BotProgram, resolve_command
from cheatarena.addresses import UNIX_PREFIX
from cheatarena.tls_settings import TlsSettings

TERMINATE_TIMEOUT_S: Final = 2.0
"""Seconds between asking a program to end and killing it."""

_POLL_INTERVAL_S: Final = 0.01
_DRAIN_TIMEOUT_S: Final = 0.5
"""Seconds to wait for the rest of a dead process's output."""

_LAST_WORDS_TIMEOUT_S: Final = 0.1
"""Most seconds to wait for the last lines of a process that has just ended.

The wait takes so long only if a process that it forked keeps its output open."""

_BUILD_TIMEOUT_S: Final = 900.0
_DEFAULT_TLS: Final = TlsSettings()
_INHERITED_VARIABLES: Final = ("PATH", "HOME", "LANG")
_INHERITED_WINDOWS_VARIABLES: Final = ("SYSTEMROOT", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA")


class BotProcess:
    """A started program, made by `Launcher.start`."""

    def __init__(
        self, name: str, program: BotProgram, box: Box, popen: subprocess.Popen[bytes], output: OutputCapture
    ) -> None:
        self.name = name
        self._program = program
        self._box = box
        self._popen = popen
        self._output = output
        self._lock = threading.Lock()
        self._is_reaped = False

    @property
    def pid(self) -> int:
        """The id of the program's process. While its box is being made, the id of the process that makes it."""
        return self._box.find_program_pid(self._popen.pid) or self._popen.pid

    @property
    def throttled_us(self) -> int:
        """For how long the CPU quota of its box has stopped the program so far, in microseconds."""
        return self._box.throttled_us()

    @property
    def start_time_s(self) -> float:
        """Seconds that the program may take from its start to its first message."""
        return self._program.start_time_s

    @property
    def output_path(self) -> Path:
        """The file that captures the program's stdout and stderr."""
        return self._output.path

    @property
    def output_byte_count(self) -> int:
        """How many bytes the program has written to stdout and stderr."""
        return self._output.byte_count

    @property
    def dropped_byte_count(self) -> int:
        """How many bytes of the program's output were dropped, because they exceeded the cap."""
        return self._output.dropped_byte_count

    @property
    def exit_code(self) -> int | None:
        """The program's exit code, negative for the signal that killed the program; None while the program runs."""
        with self._lock:
            if self._popen.returncode is None and not self._is_reaped:
                return _peek_exit_code(self._popen)
            return self._popen.returncode

    @property
    def is_over(self) -> bool:
        """Return whether `end` has ended the program and everything that it forked."""
        return self._is_reaped

    def wait(self, time_s: float) -> bool:
        """Wait until the program ends, at most `time_s` seconds. Return whether it has ended."""
        return _wait_for_all([self], time_s)

    def describe_state(self) -> str:
        """Return the program's state as words that follow its name, such as "was killed by SIGKILL"."""
        code = self.exit_code
        return "is still running" if code is None else self._box.describe_end(code) or describe_exit(code)

    @property
    def is_host_fault(self) -> bool:
        """Whether the program has ended because this host failed it, and not by its own doing."""
        code = self.exit_code
        return code is not None and self._box.is_host_fault(code)

    def describe_end(self, *, is_early: bool) -> str:
        """Return how the program ended, as words that follow its name, with the error of a Python traceback.

        If `is_early`, the program has not connected yet, and the words may include a likely reason.
        """
        code, how = self.exit_code, self.describe_state()
        if code is None:
            return how
        self._output.drain(_LAST_WORDS_TIMEOUT_S)
        if is_early:
            how = describe_early_end(self._program, how, code)
        error = find_python_error(self.tail(SCAN_LINES), self._box.seen_folder) if code > 0 else ""
        return f"{how}: {error}" if error else how

    def tail(self, line_count: int = 10) -> list[str]:
        """Return the last lines that the program wrote, oldest first, sanitized for a terminal."""
        return self._output.tail(line_count)

    def end(self, grace_s: float = TERMINATE_TIMEOUT_S) -> None:
        """Ask the program to end, wait up to `grace_s` seconds, then kill it and all that it forked.

        May be called repeatedly and from any thread. Also call it after the program has ended by itself, because
        processes that the program forked may still run.
        """
        end_all([self], grace_s)

    def kill(self) -> None:
        """Kill the program and all that it forked at once. It cannot say goodbye to the server."""
        self.signal(_KILL_SIGNAL)
        self.end(0)

    def signal(self, number: int) -> None:
        """Send a signal to the program and all that it forked."""
        with self._lock:
            if not self._is_reaped:
                self._box.signal(self._popen.pid, number)

    def reap(self) -> None:
        """Collect the exit code, and close the box and the output. Call it only after the program was killed."""
        with self._lock:
            if not self._is_reaped:
                try:
                    self._popen.wait(TERMINATE_TIMEOUT_S)
                except subprocess.TimeoutExpired:
                    return  # still in the kernel; a later `end` may succeed
                self._is_reaped = True
                self._box.close()
        self._output.finish(_DRAIN_TIMEOUT_S)


def describe_exit(code: int) -> str:
    """Return an exit code in words; a negative code is the signal that killed the process."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def end_all(processes: Iterable[BotProcess], grace_s: float = TERMINATE_TIMEOUT_S) -> None:
    """End several programs at the same time, as `BotProcess.end` does.

    An interrupt skips the waiting, not the killing.
    """
    running = list(processes)
    try:
        for process in running:
            process.signal(signal.SIGTERM)
        _wait_for_all(running, grace_s)
    finally:
        for process in running:
            process.signal(_KILL_SIGNAL)
        for process in running:
            process.reap()


class Launcher:
    """Starts programs. It is a context manager that always ends them all on exit.

    `folder` receives the captured output. `open_boxes` opens what makes boxes, when the first program needs one. `tls`
    says how programs without a box secure their connections. `echo` is called from other threads with each line that a
    program writes; the program's name precedes the line.
    """

    def __init__(
        self,
        folder: Path,
        *,
        open_boxes: OpenBoxes = refuse_boxes,
        cap_bytes: int = DEFAULT_CAP_BYTES,
        echo: Callable[[str], None] | None = None,
        tls: TlsSettings = _DEFAULT_TLS,
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
        self._starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="launcher")

    @property
    def running(self) -> Sequence[BotProcess]:
        """Processes that the launcher has started and not yet ended, in the order of their start.

        Some may have ended by themselves.
        """
        with self._lock:
            return tuple(process for process in self._processes if not process.is_over)

    def start(self, program: BotProgram, *, address: str, token: str, instance: str, name: str = "") -> BotProcess:
        """Start a program, with address, token, instance and TLS settings in its environment.

        `name` is the program's name at the table, by default its own name. A program in a box reaches only an address
        `unix:PATH`. Raises BotStartError if the program cannot be started or asks for more than this host allows,
        IsolationError if it needs a box and no box holds here, EnvironmentFaultError if its output cannot be written.
        """
        credentials = {"CHEATARENA_ADDRESS": address, "CHEATARENA_TOKEN": token, "CHEATARENA_INSTANCE": instance}
        socket = None
        if program.is_boxed:
            program.limits.check_against(self._choose_backend(program).most, program.name)
            socket = Path(address.removeprefix(UNIX_PREFIX)) if address.startswith(UNIX_PREFIX) else None
            credentials["CHEATARENA_ADDRESS"] = BOX_ADDRESS
        else:
            credentials |= self._tls.to_environment()
        variables = _build_environment(program.environment) | credentials
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
        """Return what starts a program. Raises IsolationError if it needs a box and no box holds here."""
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
            process = self._spawn(request, result)
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
        """Run the command that makes a box."""
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
            output.finish(_DRAIN_TIMEOUT_S)
            raise BotStartError(f"{name} cannot be started: {error.strerror} ({box.command[0]})") from error
        os.close(writing)
        return popen, output


if sys.platform == "win32":
    _KILL_SIGNAL: Final = signal.SIGTERM
else:
    _KILL_SIGNAL: Final = signal.SIGKILL


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


def _peek_exit_code(popen: subprocess.Popen[bytes]) -> int | None:
    """Return a process's exit code; None while it runs.

    If possible, do not reap the process, so that its id is not reused.
    """
    if sys.platform == "win32" or sys.platform == "darwin":
        return popen.poll()
    try:
        ended = os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # the arena was started with SIGCHLD ignored, so the kernel discards exit codes
        return popen.poll()
    if ended is None:
        return None
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _wait_for_all(processes: Sequence[BotProcess], time_s: float) -> bool:
    """Wait until all processes have ended, at most `time_s` seconds. Return whether all have ended."""
    deadline = time.monotonic() + time_s
    while any(process.exit_code is None for process in processes):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_INTERVAL_S)
    return True
