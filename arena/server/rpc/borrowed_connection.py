"""Lends connections that belong to gRPC by their descriptors, so that the system can be asked about them."""

import os
import socket
import struct
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from arena.server.rpc.identified_calls import Endpoint, make_endpoint

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


def has_port(ports: Collection[int], connection: socket.socket) -> bool:
    """Return whether this end of a TCP connection has one of the ports."""
    with suppress(OSError):
        return connection.family in (socket.AF_INET, socket.AF_INET6) and connection.getsockname()[1] in ports
    return False


def is_accepted_on(paths: Collection[str], connection: socket.socket) -> bool:
    """Return whether a connection was accepted on one of these Unix sockets. Raises OSError."""
    is_own = connection.family == socket.AF_UNIX and os.fsdecode(connection.getsockname()) in paths
    return is_own and not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)


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
