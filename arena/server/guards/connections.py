"""The connections that belong to gRPC: asked about through their descriptors, and which carry an identified call.

gRPC for Python tells a handler the other end of its call and nothing else. It can neither list connections nor end one.
"""

import asyncio
import ipaddress
import os
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import unquote

from cheatarena.addresses import UNIX_PREFIX, split_address

Endpoint = tuple[str, int]
"""An address and a port. An IPv4 address has its IPv4 form, even if an IPv6 socket has accepted the connection."""

_TCP_INFO: Final = struct.Struct("=B51xI72xQ")
"""The fields tcpi_state, tcpi_last_data_recv (ms) and tcpi_bytes_received of `struct tcp_info` in linux/tcp.h."""
_ESTABLISHED: Final = 1


class TcpInfo(NamedTuple):
    """What Linux tells about a TCP connection."""

    is_established: bool
    silent_ms: int
    """Milliseconds since the other end has sent data."""
    received: int
    """The bytes that the other end has sent."""


@contextmanager
def borrow_connection(number: int, is_wanted: Callable[[socket.socket], bool]) -> Iterator[socket.socket | None]:
    """Lend the connection with this descriptor; None if it is no wanted one. Errors of the socket end the block.

    The descriptor belongs to gRPC, which may close it at any time. A new connection may then get the same number and be
    ended in place of the old one. The client of the new connection then has to dial again.
    """
    try:
        connection = socket.socket(fileno=number)
    except OSError:  # it is closed, or no socket
        yield None
        return
    try:
        with suppress(OSError):
            yield connection if is_wanted(connection) else None
    finally:
        connection.detach()


class OwnListeners:
    """Where a server listens, by which its connections are told from all others of the process."""

    def __init__(self, addresses: Sequence[str]) -> None:
        """`addresses` are HOST:PORT or unix:PATH, as the server has bound them."""
        self.paths = frozenset(each.removeprefix(UNIX_PREFIX) for each in addresses if each.startswith(UNIX_PREFIX))
        self.endpoints = [split_address(each) for each in addresses if not each.startswith(UNIX_PREFIX)]
        self._ports = frozenset(port for _, port in self.endpoints)

    def has_tcp(self, connection: socket.socket) -> bool:
        """Return whether this end of a TCP connection has one of the ports."""
        with suppress(OSError):
            is_tcp = connection.family in (socket.AF_INET, socket.AF_INET6)
            return is_tcp and connection.getsockname()[1] in self._ports
        return False

    def has_unix(self, connection: socket.socket) -> bool:
        """Return whether a connection was accepted on one of the Unix sockets. Raises OSError."""
        is_own = connection.family == socket.AF_UNIX and os.fsdecode(connection.getsockname()) in self.paths
        return is_own and not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)

    def has(self, connection: socket.socket) -> bool:
        """Return whether a connection was accepted here. Raises OSError."""
        return self.has_tcp(connection) or self.has_unix(connection)


def find_peer(connection: socket.socket) -> Endpoint:
    """Return the other end of a TCP connection. Raises OSError."""
    host, port, *_ = connection.getpeername()
    return make_endpoint(host, port)


def read_tcp_info(connection: socket.socket) -> TcpInfo | None:
    """Return what Linux tells about a TCP connection; None if the kernel is too old. Raises OSError."""
    raw = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
    if len(raw) < _TCP_INFO.size:
        return None
    state, silent_ms, received = _TCP_INFO.unpack(raw)
    return TcpInfo(state == _ESTABLISHED, silent_ms, received)


class IdentifiedCalls:
    """Remembers each identified call while its handler runs."""

    def __init__(self) -> None:
        self._peers: dict[asyncio.Task[object], str] = {}
        """The other end of the connection, by the task that handles the call."""

    def note(self, peer: str) -> None:
        """Note that the present task handles an identified call. `peer` is gRPC's name for the caller's end."""
        task = asyncio.current_task()
        if task is not None and task not in self._peers:
            self._peers[task] = peer
            task.add_done_callback(self._peers.pop)

    def endpoints(self) -> frozenset[Endpoint]:
        """Return the other end of each connection that carries an identified call. Any thread may ask."""
        return frozenset(map(_parse_peer, tuple(self._peers.values())))


def make_endpoint(host: str, port: int) -> Endpoint:
    """Return an endpoint. The zone of an address is left out, because gRPC and the system write it differently."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host, port
    return str(getattr(address, "ipv4_mapped", None) or address), port


@lru_cache(4096)
def _parse_peer(peer: str) -> Endpoint:
    """Return the endpoint in a name such as `ipv4:127.0.0.1:4711` or `ipv6:%5B::1%5D:4711`."""
    host, _, port = unquote(peer).partition(":")[2].rpartition(":")
    return make_endpoint(host.strip("[]"), int(port) if port.isdecimal() else 0)
