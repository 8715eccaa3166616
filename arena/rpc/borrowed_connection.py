"""Lends connections that belong to gRPC by their descriptors, so that the system can be asked about them."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


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
