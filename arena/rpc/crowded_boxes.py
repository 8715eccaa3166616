"""Ends the connections of a box that has far too many of them on a Unix socket.

Peers on a Unix socket have no address, and gRPC cannot tell their connections apart. The kernel knows which process
opened each of them, and the control group of this process is that of its box. An honest bot has one or two connections.

Each connection may hold megabytes of the server, with calls whose answers nobody reads. So the number is bounded at any
time. While descriptors are scarce, it is bounded for all other programs on the sockets too.
"""

import asyncio
import os
import socket
import struct
from collections import defaultdict
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from arena.rpc.borrowed_connection import borrow_connection

MOST_CONNECTIONS: Final = 32
"""The most connections that a box keeps."""
_SLICE: Final = 64
"""The number of descriptors looked at between two passes of the loop."""
_CREDENTIALS: Final = struct.Struct("=iii")
"""`struct ucred` in linux/socket.h: process, user and group."""


async def end_crowded_boxes(limit: int, paths: Collection[str], *, spares_others: bool = False) -> int:
    """End all connections to these sockets of each box that has more than MOST_CONNECTIONS.

    Look at the descriptors below `limit`. If `spares_others`, leave programs alone that are in no box. Return how many
    connections were ended.
    """
    is_own = partial(_is_accepted_on, paths)
    boxes: dict[str, list[int]] = defaultdict(list)
    names: dict[int, str] = {}
    spared: set[str] = set()
    for number in range(limit):
        if number % _SLICE == 0:
            await asyncio.sleep(0)
        with borrow_connection(number, is_own) as connection:
            if connection is not None:
                pid = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
                if pid not in names:
                    names[pid] = _name_box(pid)
                    if spares_others and not _is_in_box(pid):
                        spared.add(names[pid])
                boxes[names[pid]].append(number)
    crowded = [
        number
        for name, numbers in boxes.items()
        if len(numbers) > MOST_CONNECTIONS and name not in spared
        for number in numbers
    ]
    for number in crowded:
        with borrow_connection(number, is_own) as connection:
            if connection is not None:
                connection.shutdown(socket.SHUT_RDWR)
    return len(crowded)


def find_descriptor_limit() -> int:
    """Return a number above all descriptors that this process has open."""
    return max((int(each.name) for each in Path("/proc/self/fd").iterdir()), default=0) + 1


def _name_box(pid: int) -> str:
    """Return the control groups of a process; its id if they are those of this process, which is in no box."""
    with suppress(OSError):
        groups = Path(f"/proc/{pid}/cgroup").read_text()
        if groups != Path("/proc/self/cgroup").read_text():
            return groups
    return str(pid)


def _is_in_box(pid: int) -> bool:
    """Return whether a process has a process namespace below that of this process, as in every box and container."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            if line.startswith("NSpid:"):
                return len(line.split()) > 2
    return False


def _is_accepted_on(paths: Collection[str], connection: socket.socket) -> bool:
    """Return whether a connection was accepted on one of these sockets. Raises OSError."""
    is_own = connection.family == socket.AF_UNIX and os.fsdecode(connection.getsockname()) in paths
    return is_own and not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
