"""A bot as a process, which ends together with all processes that it forked.

Its box signals the program and says why it ended (`box_port`). Without isolation a program has its own session and
process group. So a Ctrl-C meant for the arena does not reach the program, and a signal to the group reaches every
process that the program forked, unless it has moved to another session.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from arena.bots.launch.box_port import Box
from arena.bots.launch.cpu_times import read_cpu_times
from arena.bots.launch.output import OutputCapture
from arena.bots.launch.programs import BotProgram

TERMINATE_TIMEOUT_S: Final = 2.0
"""Seconds between asking a program to end and killing it."""
DRAIN_TIMEOUT_S: Final = 0.5
"""Seconds to wait for the rest of a dead process's output."""

_POLL_INTERVAL_S: Final = 0.01
_LAST_WORDS_TIMEOUT_S: Final = 0.1
"""Most seconds to wait for the last lines of a process that has just ended.

The wait takes so long only if a process that it forked keeps its output open."""
_OUTPUT_TIMEOUT_S: Final = 2.0
"""Seconds for which a caller that waits for the end of a program waits for its last output, on a busy machine."""
SCAN_LINES: Final = 60
"""How many of a program's last lines are searched for a traceback."""
NO_RUN_TEXT: Final = "ended at once; is `run(YourBot)` its last line?"
_PLACE: Final = re.compile(r'\s+File "(?P<file>.+)", line (?P<line>\d+)')
_ERROR: Final = re.compile(r"[A-Za-z_][\w.]*(?:: .*)?")


class BotProcess:
    """A started program, made by `arena.bots.launch.launcher.Launcher`."""

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
    def waited_for_core_s(self) -> float:
        """For how long the program's first thread was ready to run but had no core; 0 if the system does not say."""
        pid = self.pid
        times = read_cpu_times(pid)
        return 0.0 if times is None else times.waited_us.get(str(pid), 0) / 1e6

    @property
    def throttled_us(self) -> int:
        """For how long the CPU quota of its box has stopped the program so far, in microseconds."""
        return self._box.throttled_us()

    @property
    def start_time_s(self) -> float:
        """Seconds that the program may take from its start to its first message."""
        return self._program.start_time_s

    @property
    def start_advice(self) -> str:
        """What its author can do if it does not connect within this time; may be empty."""
        return self._program.start_advice

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
        """Wait until the program ends, at most `time_s` seconds, and its output is read. Return whether it has ended.

        A program that it forked may keep the output open; then the end of the output is not awaited.
        """
        has_ended = _wait_for_all([self], time_s)
        if has_ended:
            self._output.drain(_OUTPUT_TIMEOUT_S)
        return has_ended

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
        self._output.finish(DRAIN_TIMEOUT_S)


def describe_exit(code: int) -> str:
    """Return an exit code in words; a negative code is the signal that killed the process."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def end_all(processes: Iterable[BotProcess], grace_s: float) -> None:
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


if sys.platform == "win32":
    _KILL_SIGNAL: Final = signal.SIGTERM
else:
    _KILL_SIGNAL: Final = signal.SIGKILL


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


def describe_early_end(program: BotProgram, how: str, code: int) -> str:
    """Return how a program ended before it connected, as words that follow its name.

    `how` is what its exit code says. A Python program that ends without an error has probably not called `run`.
    """
    is_python = any(word.endswith(".py") for word in program.command)
    if code == 0:
        return NO_RUN_TEXT if is_python else f"{how}, before it connected"
    return how


def find_python_error(lines: Sequence[str], folder: Path) -> str:
    """Return the last error of a Python traceback with its place: "ValueError: no cards (bot.py:12)".

    The place is the innermost one in `folder`, or else the innermost one of all. The text is empty if there is no
    traceback.
    """
    places = [index for index, line in enumerate(lines) if _PLACE.match(line)]
    if not places:
        return ""
    error = next((line for line in lines[places[-1] + 1 :] if _ERROR.fullmatch(line)), "")
    if not error:
        return ""
    found = [_PLACE.match(lines[index]) for index in places]
    known = [(Path(each["file"]), each["line"]) for each in found if each is not None]
    file, line = next((each for each in reversed(known) if each[0].is_relative_to(folder)), known[-1])
    return f"{error} ({file.name}:{line})"
