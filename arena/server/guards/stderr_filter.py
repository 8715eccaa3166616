"""Starts a process that reads what gRPC's core writes to descriptor 2 before it reaches stderr.

    Python: sys.stderr, log lines ──────────────────────────────────────▶ stderr
    C code: descriptor 2 ──▶ pipe ──▶ reader process ──▶ other lines, escaped ──▶ stderr
                                             └──────▶ log events ───────▶ stderr

The reader is a process, not a thread, so that it outlives the server and passes on the last lines of a crash, even
those of `abort`, and so that a flood of lines takes no time from matches.

A client can make the core write line ends, so lines cannot be trusted (see `core_log`). On Linux the pipe keeps
separate writes separate: a write that begins like an entry of the core is one entry up to its end, and nothing in it
can pass for another entry, or for an event. Elsewhere, the bytes that one read returns count as one entry. Any other
text comes from other C code, such as the last words of a crash, or from programs that the process has started. It is
passed on line by line, with its control characters escaped.

The pipe never blocks its writers: if nobody reads stderr, lines of C code are dropped. Programs that the server starts
inherit the pipe, and their lines are passed on.
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
from typing import Final, NoReturn

from arena.server.guards.core_log import CoreLog, begins_entry, escape_control_characters

_TRACE_VARIABLE: Final = "GRPC_TRACE"
_VERBOSITY_VARIABLE: Final = "GRPC_VERBOSITY"
_HANDSHAKE_TRACE: Final = "handshaker"
"""The trace whose lines `arena.server.guards.core_log` reads."""
_STDERR: Final = 2
_CHUNK_BYTES: Final = 1 << 16
_PIPE_BYTES: Final = 1 << 20
"""The requested size of the pipe. In the default size only 16 separate writes would fit."""
_STOP_SIGNALS: Final = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_LAST_WORDS_S: Final = 1.0
"""Seconds for which an ending server waits for the reader to finish."""


@contextmanager
def filter_stderr(*, speaks_tls: bool, set_up_logging: Callable[[], None]) -> Iterator[None]:
    """While the body runs, turn the entries of gRPC's core into log events, and pass on all other lines.

    Call this before gRPC is loaded, because gRPC reads the variable for its trace when it is loaded. `set_up_logging`
    directs log lines to the present `sys.stderr`. In three cases only `set_up_logging` is called:

    * the server does not speak TLS;
    * no process can be forked safely;
    * the user has set the variable for gRPC's trace, and so wants to see its lines.
    """
    if speaks_tls:  # with ERROR, which the SDK sets for itself and its children, the core hides failed handshakes
        os.environ[_VERBOSITY_VARIABLE] = ""
    if not speaks_tls or not _can_fork() or _TRACE_VARIABLE in os.environ:
        set_up_logging()
        yield
        return
    os.environ[_TRACE_VARIABLE] = _HANDSHAKE_TRACE
    reader, writing = _fork_reader(set_up_logging)
    real, own = os.dup(_STDERR), sys.stderr
    # `open` because a path has no descriptor. `finally` closes the stream, after everything else.
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
    """Return whether the system can fork, this is the only thread, and `sys.stderr` writes to descriptor 2."""
    with suppress(UnsupportedOperation):  # a stream in memory has no descriptor
        return hasattr(os, "fork") and threading.active_count() == 1 and sys.stderr.fileno() == _STDERR
    return False


def _fork_reader(set_up_logging: Callable[[], None]) -> tuple[int, int]:
    """Start the reader. Return its process id, and the writing end of the pipe."""
    reading, writing = _open_pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)  # until the reader ignores them
    reader = os.fork()
    if reader == 0:
        os.close(writing)
        _run_reader(reading, CoreLog(), set_up_logging)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
    os.close(reading)
    os.set_blocking(writing, False)
    return reader, writing


def _open_pipe() -> tuple[int, int]:
    """Return the ends of a pipe. On Linux it keeps separate writes separate."""
    if sys.platform != "linux":
        return os.pipe()
    import fcntl  # noqa: PLC0415  Windows has none

    reading, writing = os.pipe2(os.O_DIRECT | os.O_CLOEXEC)
    with suppress(OSError):  # the system may allow less
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return reading, writing


def _wait_for(reader: int) -> None:
    """A program that still holds the pipe does not delay the server."""
    until = time.monotonic() + _LAST_WORDS_S
    with suppress(ChildProcessError):
        while os.waitpid(reader, os.WNOHANG) == (0, 0) and time.monotonic() < until:
            time.sleep(0.002)


# ---- in the reader process


def _run_reader(reading: int, core_log: CoreLog, set_up_logging: Callable[[], None]) -> NoReturn:
    """Read until the last writer is gone. Stop signals are ignored, because they are meant for the server."""
    try:
        for number in _STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
        devnull = os.open(os.devnull, os.O_RDWR)
        os.dup2(devnull, 0)
        os.dup2(devnull, 1)  # otherwise this process would keep the server's stdout open after the server has ended
        set_up_logging()
        read_entries(reading, core_log, _pass_on)
    except BaseException:  # noqa: BLE001  nobody is there to catch it
        traceback.print_exc()
    os._exit(0)


def read_entries(reading: int, core_log: CoreLog, pass_on: Callable[[bytes], None]) -> None:
    """Give each entry in a pipe to `core_log` until the pipe ends. Lines that are in no entry go to `pass_on`."""
    events, entry, rest = core_log.events, b"", b""
    while True:
        if select.select([reading], [], [], events.wait_s)[0]:
            chunk = os.read(reading, _CHUNK_BYTES)
            if not chunk:
                break
            if entry or begins_entry(_decode(chunk)):
                entry += chunk
                if len(chunk) != select.PIPE_BUF or chunk.endswith(b"\n") or len(entry) > _CHUNK_BYTES:
                    core_log.take(_decode(entry))
                    entry = b""
            else:
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    pass_on(_escape(line) + b"\n")
                if len(rest) > _CHUNK_BYTES:
                    pass_on(_escape(rest))
                    rest = b""
        events.write_due()
    if entry:
        core_log.take(_decode(entry))
    if rest:
        pass_on(_escape(rest))
    events.write_all()


def _decode(text: bytes) -> str:
    return text.decode(errors="replace").removesuffix("\n")


def _escape(line: bytes) -> bytes:
    """Control characters are escaped, except for tabs."""
    return "\t".join(map(escape_control_characters, _decode(line).split("\t"))).encode(errors="replace")


def _pass_on(text: bytes) -> None:
    """What cannot be written is dropped."""
    with suppress(OSError):
        while text:
            text = text[os.write(_STDERR, text) :]
