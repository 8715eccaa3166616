"""Lets a process of its own read what gRPC's core writes to descriptor 2, before it reaches stderr.

    Python: sys.stderr, log lines ──────────────────────────────────────▶ stderr
    C code: descriptor 2 ──▶ pipe ──▶ reader process ──▶ unknown lines ──▶ stderr
                                             └──────▶ log events ───────▶ stderr

The reader is a process and no thread: it outlives the server, so that the last words of a crash arrive, even those of
`abort`, and a flood of lines takes no time from matches. The pipe never blocks its writers: while nobody reads stderr,
lines of C code are dropped. Programs that the server starts inherit the pipe, and their lines are passed on.
"""

import os
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from arena.rpc.core_log import CoreLog

_TRACE_VARIABLE: Final = "GRPC_TRACE"
_HANDSHAKE_TRACE: Final = "handshaker"
"""What `arena.rpc.core_log` reads."""
_STDERR: Final = 2
_CHUNK_BYTES: Final = 1 << 16
_STOP_SIGNALS: Final = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_LAST_WORDS_S: Final = 1.0
"""Seconds that the reader has to finish when the server ends."""


@contextmanager
def filter_stderr(*, speaks_tls: bool, set_up_logging: Callable[[], None]) -> Iterator[None]:
    """Let failed handshakes be log events, and pass all other lines on unchanged, while the body runs.

    gRPC must not be loaded before, because it reads the variable for its trace then. `set_up_logging` lets log lines go
    to the present `sys.stderr`. Only that is done for a server without TLS, where no process can be forked safely, and
    if somebody traces gRPC, who wants to see its lines.
    """
    if not speaks_tls or not _can_fork() or _TRACE_VARIABLE in os.environ:
        set_up_logging()
        yield
        return
    os.environ[_TRACE_VARIABLE] = _HANDSHAKE_TRACE
    reader, writing = _fork_reader(set_up_logging)
    real, own = os.dup(_STDERR), sys.stderr
    sys.stderr = diverted = open(real, "w", buffering=1, encoding=own.encoding, errors=own.errors)  # noqa: PTH123, SIM115
    os.dup2(writing, _STDERR)
    os.close(writing)
    try:
        set_up_logging()
        yield
    finally:
        os.dup2(real, _STDERR)  # this closes the pipe, and the reader ends
        _wait_for(reader)
        sys.stderr = own
        set_up_logging()
        diverted.close()
        del os.environ[_TRACE_VARIABLE]


def _can_fork() -> bool:
    """Return whether there is a fork, only this thread to copy, and a `sys.stderr` that writes to descriptor 2."""
    with suppress(UnsupportedOperation):  # a stream in memory has no descriptor
        return hasattr(os, "fork") and threading.active_count() == 1 and sys.stderr.fileno() == _STDERR
    return False


def _fork_reader(set_up_logging: Callable[[], None]) -> tuple[int, int]:
    """Start the reader; return its process id and the end of the pipe to write to."""
    from arena.rpc.core_log import CoreLog

    reading, writing = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)  # until the reader ignores them
    reader = os.fork()
    if reader == 0:
        os.close(writing)
        _run_reader(reading, CoreLog(), set_up_logging)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
    os.close(reading)
    os.set_blocking(writing, False)
    return reader, writing


def _wait_for(reader: int) -> None:
    """Wait until the reader has passed everything on. A program that still holds the pipe does not delay the end."""
    until = time.monotonic() + _LAST_WORDS_S
    with suppress(ChildProcessError):
        while os.waitpid(reader, os.WNOHANG) == (0, 0) and time.monotonic() < until:
            time.sleep(0.002)


# ---- in the reader process


def _run_reader(reading: int, core_log: "CoreLog", set_up_logging: Callable[[], None]) -> NoReturn:
    """Read until the last writer is gone. A stop signal is for the server, and is outlived."""
    try:
        for number in _STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
        devnull = os.open(os.devnull, os.O_RDWR)
        os.dup2(devnull, 0)
        os.dup2(devnull, 1)  # whoever reads stdout is to see its end when the server ends
        set_up_logging()
        read_lines(reading, core_log, _pass_on)
    except BaseException:  # noqa: BLE001  nobody is there to catch it
        traceback.print_exc()
    os._exit(0)


def read_lines(reading: int, core_log: "CoreLog", pass_on: Callable[[bytes], None]) -> None:
    """Give each line of a pipe to `core_log`, and those that it does not know to `pass_on`, until the pipe ends."""
    events, rest = core_log.events, b""
    while True:
        if select.select([reading], [], [], events.wait_s)[0]:
            chunk = os.read(reading, _CHUNK_BYTES)
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if not core_log.take(line.decode(errors="replace")):
                    pass_on(line + b"\n")
            if len(rest) > _CHUNK_BYTES:
                pass_on(rest)
                rest = b""
        events.write_due()
    if rest:
        pass_on(rest)
    events.write_all()


def _pass_on(text: bytes) -> None:
    """Write to stderr; drop what it does not take."""
    with suppress(OSError):
        while text:
            text = text[os.write(_STDERR, text) :]
