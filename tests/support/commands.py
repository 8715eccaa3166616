"""Runs the command `arena`: in this process if that is enough, in a process of its own if signals matter."""

import contextlib
import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog

from arena.cli.main import run

ARENA = (sys.executable, "-c", "from arena.cli.main import main; main()")


def environment_of(folder: Path) -> dict[str, str]:
    """Return an environment in which Python imports from a folder: a checkout, or the unpacked files of both wheels."""
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(folder / "sdk")])}


@dataclass
class CommandResult:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output, parsed as JSON."""
        return json.loads(self.out)

    @property
    def last_line(self) -> str:
        """The last line of the error output."""
        return self.err.strip().splitlines()[-1]


def run_arena(capsys: pytest.CaptureFixture[str], *arguments: object) -> CommandResult:
    """Run a command in this process."""
    capsys.readouterr()
    with restore_logging():
        code = run([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return CommandResult(code, said.out, said.err)


@contextlib.contextmanager
def restore_logging() -> Iterator[None]:
    """Restore this process's logging after a command has changed it."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()


class CommandProcess:
    """A command in a process of its own, whose output lines are collected while it runs."""

    def __init__(self, arguments: Sequence[object], environment: dict[str, str] | None = None) -> None:
        self._popen = subprocess.Popen(
            [*ARENA, *map(str, arguments)],
            env=os.environ | (environment or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.out: list[str] = []
        self.err: list[str] = []
        self._threads = [
            threading.Thread(target=self._read, args=(stream, lines), daemon=True)
            for stream, lines in ((self._popen.stdout, self.out), (self._popen.stderr, self.err))
        ]
        for thread in self._threads:
            thread.start()

    def _read(self, stream: Any, lines: list[str]) -> None:
        lines.extend(iter(stream.readline, ""))  # grows line by line

    def wait_for_line(self, start: str, time_s: float = 60, count: int = 1) -> str:
        """Wait for so many lines of either stream that begin with ``start``, and return the last one."""
        deadline = time.monotonic() + time_s
        while True:
            found = [line for line in (*self.out, *self.err) if line.startswith(start)]
            if len(found) >= count:
                return found[count - 1].strip()
            assert time.monotonic() < deadline, (self.out, self.err)
            assert self._popen.poll() is None, (self.out, self.err)
            time.sleep(0.02)

    @property
    def pid(self) -> int:
        """The id of the command's process."""
        return self._popen.pid

    @property
    def is_running(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the command's process."""
        self._popen.send_signal(number)

    def wait_for_exit(self, time_s: float = 20) -> int:
        """Wait for the end, and return the exit code."""
        code = self._popen.wait(time_s)
        for thread in self._threads:
            thread.join(5)
        return code

    def kill(self) -> None:
        """Kill the process if it still runs, and close its streams."""
        if self._popen.poll() is None:
            self._popen.kill()
            self._popen.wait(5)
        for thread in self._threads:  # processes that it has started may still write output
            thread.join(5)
        for stream in (self._popen.stdout, self._popen.stderr):
            assert stream is not None
            stream.close()


@contextlib.contextmanager
def start_command(*arguments: object, environment: dict[str, str] | None = None) -> Iterator[CommandProcess]:
    """Start a command, and kill it at the end if it still runs."""
    command = CommandProcess(arguments, environment)
    try:
        yield command
    finally:
        command.kill()


def run_on_terminal(
    arguments: Sequence[object], columns: int = 80, time_s: float = 120, output: list[bytes] | None = None
) -> tuple[int, str]:
    """Run a command whose output goes to a terminal. Return its exit code and the output without control sequences.

    The output is added to `output` as it comes, for tests that wait for a part of it.
    """
    ours, theirs = os.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "LINES": "40", "TERM": "xterm"}
    process = subprocess.Popen([*ARENA, *map(str, arguments)], env=environment, stdout=theirs, stderr=theirs)
    os.close(theirs)
    chunks = [] if output is None else output

    def read() -> None:
        with contextlib.suppress(OSError):  # the terminal ends with its last process
            while chunk := os.read(ours, 65536):
                chunks.append(chunk)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        code = process.wait(time_s)
    finally:
        process.kill()
        reader.join(5)
        os.close(ours)
    text = b"".join(chunks).decode(errors="replace").replace("\r\n", "\n")
    return code, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n")


_started: list[subprocess.Popen[str]] = []


def start_session(words: Sequence[str], folder: Path | None = None) -> subprocess.Popen[str]:
    """Start a program in a session of its own, with piped streams. `end_sessions` kills it after the test."""
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=folder
    )
    _started.append(process)
    return process


def end_sessions() -> None:
    """Kill the programs that still run because their test failed or timed out."""
    while _started:
        process = _started.pop()
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)
            for stream in filter(None, (process.stdout, process.stderr)):
                stream.close()


def children_of(pid: int) -> list[int]:
    """Return the ids of a process's children, in ascending order."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            if int(status.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(status.parent.name))
    return sorted(found)


def find_user(path: Path) -> int:
    """Return the id of the child of this process that has a file open: this one, or one in this folder."""

    def uses(pid: int) -> bool:
        return any(fd.readlink().is_relative_to(path) for fd in Path(f"/proc/{pid}/fd").iterdir())

    return next(pid for pid in children_of(os.getpid()) if uses(pid))


def is_alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
