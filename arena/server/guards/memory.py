"""Bounds the memory that strangers can take: large reads go back to the system, and who makes it surge is ended.

The limits of HTTP/2, and those of gRPC for metadata, bind a client only after it has acknowledged them. Until then, a
block of headers may name a header of HPACK's table again and again: one byte each time, which becomes some 170 bytes
here, and time of the event loop. gRPC ends a connection that acknowledges nothing, but gigabytes fit into that time. So
a thread compares the memory every few milliseconds; a coroutine would stand still just then. When the memory surges,
those connections end that can be the reason:

* those without a call of an identified caller that have sent more than the call of a stranger takes;
* those that send faster than the server reads, whoever calls. Unix sockets tell only this.

A client whose connection ends in this way dials again: a bot takes its seats again, and an upload goes on.

gRPC reads what a client sends into blocks of 8 or 64 KB, in many threads. The C library of GNU gives threads heaps of
their own, and a block that lives longer keeps all below it. So a client that only sends bytes that no call needs would
make the server grow by gigabytes. A block that is mapped by itself goes back as soon as it is free, and the others are
used again if all threads share one heap (`return_read_memory`).
"""

import array
import asyncio
import ctypes
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Final

from arena.log_lines import get_logger
from arena.server.guards.connections import (
    Endpoint,
    IdentifiedCalls,
    OwnListeners,
    borrow_connection,
    find_peer,
    read_tcp_info,
)
from arena.server.guards.descriptors import find_last_descriptor
from arena.server.guards.repeated_events import RepeatedEvents

log = get_logger(__name__)

LOOK_S: Final = 0.01
"""Seconds between two looks at the memory."""
CALM_BYTES_A_SECOND: Final = 32 << 20
"""Memory that grows by less than this is calm: matches, replays and uploads take their time."""
SURGE_BYTES: Final = 24 << 20
"""How far the memory may be above what calm growth explains."""
STRANGER_BYTES: Final = 16 << 10
"""The most bytes that a stranger's connection keeps during a surge: a TLS hello and a call with twice its metadata."""
SURGE_CLOSED: Final = "the memory surged, the connections that sent the most are closed"

_REPORT_S: Final = 1.0
_DRAINED: Final = 256
"""How many reads at most empty what a connection has sent that gRPC has not read yet."""


class MemoryGuard:
    """Watches the memory of this process on Linux. Run `run` as a task."""

    def __init__(self, addresses: Sequence[str], calls: IdentifiedCalls, is_spared: Callable[[str], bool]) -> None:
        """`addresses` are the server's listeners, as HOST:PORT or unix:PATH. Only connections to them are ended.

        `is_spared` says whether an address is that of a proxy, whose connections carry the calls of many.
        """
        self._listeners = OwnListeners(addresses)
        self._calls = calls
        self._is_spared = is_spared
        self._events = RepeatedEvents(lambda event, count, _: log.warning(event, count=count))

    async def run(self) -> None:
        if sys.platform != "linux":
            return
        over, loop = threading.Event(), asyncio.get_running_loop()
        report = partial(loop.call_soon_threadsafe, self._events.add, SURGE_CLOSED)
        threading.Thread(target=self._watch, args=(over, report), name="memory guard", daemon=True).start()
        try:
            while True:
                await asyncio.sleep(_REPORT_S)
                self._events.write_due()
        finally:
            over.set()

    def _watch(self, over: threading.Event, report: Callable[[int], object]) -> None:
        with Path("/proc/self/statm").open("rb", buffering=0) as memory:  # kept open, as descriptors may become scarce
            calm, looked_at = float(_resident_bytes(memory)), time.monotonic()
            while not over.wait(LOOK_S):
                resident, now = _resident_bytes(memory), time.monotonic()
                calm = min(resident, calm + CALM_BYTES_A_SECOND * (now - looked_at))
                looked_at = now
                if resident > calm + SURGE_BYTES and (count := self.end_senders()) and not over.is_set():
                    report(count)

    def end_senders(self) -> int:
        """End the connections that can be the reason of a surge, and return how many were ended."""
        busy = self._calls.endpoints()
        ended = 0
        for number in range(find_last_descriptor() + 1):
            with borrow_connection(number, self._listeners.has) as connection:
                if connection is not None and self._sends_too_much(connection, busy):
                    _end(connection)
                    ended += 1
        return ended

    def _sends_too_much(self, connection: socket.socket, busy: frozenset[Endpoint]) -> bool:
        """Return whether a connection can be the reason of a surge. Raises OSError, also for a listening socket."""
        if connection.family != socket.AF_UNIX:
            peer = find_peer(connection)
            if self._is_spared(peer[0]):
                return False
            info = read_tcp_info(connection)
            if peer not in busy and info is not None and info.received > STRANGER_BYTES:
                return True
        return _unread_bytes(connection) > STRANGER_BYTES


def _resident_bytes(memory: FileIO) -> int:
    memory.seek(0)
    return int(memory.read(256).split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _unread_bytes(connection: socket.socket) -> int:
    """Return how much has arrived that gRPC has not read. Raises OSError."""
    import fcntl  # noqa: PLC0415  Windows has none
    import termios  # noqa: PLC0415  as above

    waiting = array.array("i", [0])
    fcntl.ioctl(connection.fileno(), termios.FIONREAD, waiting)
    return waiting[0]


def _end(connection: socket.socket) -> None:
    """End a connection, and throw away what gRPC would still read of it."""
    connection.shutdown(socket.SHUT_RDWR)
    thrown_away = bytearray(1 << 16)
    with suppress(OSError):
        for _ in range(_DRAINED):
            if not connection.recv_into(thrown_away, 0, socket.MSG_DONTWAIT):
                break


_MAPPED_BYTES: Final = 64 * 1024
"""Blocks from this size on are mapped by themselves."""
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # parameters of mallopt(3), in malloc.h


def return_read_memory() -> None:
    """Map large blocks by themselves, and keep the others in one heap. Other C libraries have no such parameters."""
    if sys.platform != "linux":
        return
    with suppress(AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
        libc.mallopt(_M_ARENA_MAX, 1)
