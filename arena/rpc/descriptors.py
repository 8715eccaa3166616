"""Closes silent connections when file descriptors are scarce, so that other clients can connect.

Every connection takes a descriptor. gRPC accepts connections until no descriptor is left, and gives each connection
some time to begin. A client that opens many connections and never sends anything could keep others out again and again.
So while descriptors are scarce, the arena ends each connection that has not even sent the first bytes, which every
client sends at once. Only Linux tells how much a connection has sent. On other systems, only gRPC's time limit helps.

"""

import asyncio
import os
import socket
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import structlog

from arena.rpc.listeners import split_address
from arena.rpc.repeated_events import RepeatedEvents

log = structlog.get_logger(__name__)

MOST_DESCRIPTORS: Final = 65_536
"""The number of descriptors that the server requests: enough for all sessions, and not too many for its memory."""
CHECK_INTERVAL_S: Final = 0.1
SCARCE_SHARE: Final = 0.9
"""Descriptors are scarce if the number of the lowest free one is at least this share of the limit."""
PREFACE_BYTES: Final = 24
"""An HTTP/2 client begins with 24 fixed bytes (RFC 9113, section 3.4). A TLS client begins with more bytes."""
SILENT_MS: Final = 250
"""How long a connection may be silent while descriptors are scarce. A real client sends bytes immediately."""

_LOOKED_AT: Final = 4096
"""The number of descriptors that one check looks at."""
_SLICE: Final = 64
"""The number of descriptors that are checked between two passes of the loop, in a fraction of a millisecond."""
_TCP_INFO: Final = struct.Struct("=B51xI72xQ")
"""The fields tcpi_state, tcpi_last_data_recv (ms) and tcpi_bytes_received of `struct tcp_info` in linux/tcp.h."""
_ESTABLISHED: Final = 1


def raise_descriptor_limit() -> None:
    """Let this process open as many descriptors as the system allows, up to MOST_DESCRIPTORS."""
    if os.name != "posix":
        return
    import resource  # noqa: PLC0415  not everywhere

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class SilentConnectionCloser:
    """Ends silent connections while descriptors are scarce. Run `run` as a task."""

    def __init__(self, addresses: Iterable[str]) -> None:
        """`addresses` are the server's listeners, as HOST:PORT. Only connections to them are ended."""
        self._listeners = [split_address("listen", address) for address in addresses]
        self._ports = frozenset(port for _, port in self._listeners)
        self._next = 0
        """The descriptor that the next check begins with."""
        self._events = RepeatedEvents(_log_closed)

    async def run(self) -> None:
        """Check until cancelled."""
        while sys.platform == "linux":
            await asyncio.sleep(CHECK_INTERVAL_S)
            limit = descriptor_limit()
            if find_free_descriptor(limit) >= SCARCE_SHARE * limit:
                await self.close_silent(limit)
            self._events.write_due()

    async def close_silent(self, limit: int) -> None:
        """Look at some of the descriptors below `limit`, and end the silent connections among them."""
        closed = 0
        for count in range(min(limit, _LOOKED_AT)):
            if count % _SLICE == 0:
                await asyncio.sleep(0)
            closed += self._close_if_silent(self._next % limit)
            self._next = (self._next + 1) % limit
        if closed:
            self._events.add("silent", closed)
            await asyncio.sleep(CHECK_INTERVAL_S)  # until gRPC has closed the descriptors
            self._knock()

    def _knock(self) -> None:
        """Open and close a connection to each listener.

        A gRPC server that had no descriptors left accepts again only after a second, or when a new connection comes in.
        """
        for host, port in self._listeners:
            with suppress(OSError), socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as knock:
                knock.setblocking(False)
                knock.connect((host, port))

    def _close_if_silent(self, number: int) -> bool:
        """End the connection with this descriptor if it is silent, and return whether it was.

        gRPC closes the descriptor when it notices the end. Between the check and the end, a new connection may get the
        same descriptor number. In the worst case a client has to dial again.
        """
        try:
            connection = socket.socket(fileno=number)
        except OSError:  # it is closed, or no socket
            return False
        try:
            if not is_silent(connection) or connection.getsockname()[1] not in self._ports:
                return False
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return False
        else:
            return True
        finally:
            connection.detach()


def is_silent(connection: socket.socket) -> bool:
    """Return whether a connection has sent less than PREFACE_BYTES, and nothing for SILENT_MS. Raises OSError."""
    raw = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
    if len(raw) < _TCP_INFO.size:  # an old kernel
        return False
    state, silent_ms, received = _TCP_INFO.unpack(raw)
    return bool(state == _ESTABLISHED and received < PREFACE_BYTES and silent_ms >= SILENT_MS)


def descriptor_limit() -> int:
    """Return how many descriptors this process may have open."""
    import resource  # noqa: PLC0415  not everywhere

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def find_free_descriptor(limit: int) -> int:
    """Return the lowest free descriptor, or `limit` if there is none."""
    try:
        number = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return limit
    os.close(number)
    return number


def _log_closed(_: str, count: int, __: str) -> None:
    log.warning("few file descriptors are left, silent connections are closed", count=count)
