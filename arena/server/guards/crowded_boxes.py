"""Ends the connections of a box that has far too many of them on a Unix socket.

Each may hold megabytes of the server, with calls whose answers nobody reads; an honest bot has one or two. Peers on a
Unix socket have no address, and gRPC cannot tell their connections apart. The kernel knows which process opened each of
them, and the control group of this process is that of its box. While descriptors are scarce, the number is bounded for
all other programs on the sockets too.
"""

import asyncio
import os
import socket
import struct
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.server.guards.connections import OwnListeners, borrow_connection

MOST_CONNECTIONS: Final = 32
"""The most connections that a box keeps."""
_ENDED_STATES: Final = frozenset("ZX")
"""States of processes that have ended (proc(5))."""
_SLICE: Final = 64
"""The number of descriptors looked at between two passes of the loop."""
_CREDENTIALS: Final = struct.Struct("=iii")
"""`struct ucred` in linux/socket.h: process, user and group."""


async def end_crowded_boxes(limit: int, listeners: OwnListeners, *, spares_others: bool = False) -> int:
    """End all connections to the Unix sockets of each box that has more than MOST_CONNECTIONS.

    Only descriptors below `limit` are looked at. If `spares_others`, programs in no box are left alone. Return how many
    were ended.
    """
    boxes: dict[_Peer, list[int]] = defaultdict(list)
    peers: dict[tuple[int, int], _Peer] = {}
    for number in range(limit):
        if number % _SLICE == 0:
            await asyncio.sleep(0)
        with borrow_connection(number, listeners.has_unix) as connection:
            if connection is not None:
                raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
                pid, user, _ = _CREDENTIALS.unpack(raw)
                if (pid, user) not in peers:
                    peers[pid, user] = _find_peer(pid, user)
                boxes[peers[pid, user]].append(number)
    crowded = [
        number
        for peer, numbers in boxes.items()
        if len(numbers) > MOST_CONNECTIONS and (peer.is_in_box or not spares_others)
        for number in numbers
    ]
    for number in crowded:
        with borrow_connection(number, listeners.has_unix) as connection:
            if connection is not None:
                connection.shutdown(socket.SHUT_RDWR)
    return len(crowded)


@dataclass(frozen=True, slots=True)
class _Peer:
    """Whose connections are counted together."""

    name: str
    is_in_box: bool
    """Whether it is in a box or another container, or may be."""


def _find_peer(pid: int, user: int) -> _Peer:
    """Return the peer with whose connections those of a process are counted.

    A program may let children connect for it, and end them: then nothing tells its box, and all such connections of a
    user count together. An honest program keeps the process that opened its connection. Processes in a container beside
    that of this process have no ids here.
    """
    if not pid:
        return _Peer(f"hidden processes of user {user}", is_in_box=False)
    status: dict[str, str] = {}
    with suppress(OSError):
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
        status = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    if status.get("State", "").strip()[:1] in _ENDED_STATES or (not status and _is_gone(pid)):
        return _Peer(f"ended processes of user {user}", is_in_box=True)
    has_own_ids = len(status.get("NSpid", "").split()) > 1  # one id for each namespace, from that of this process down
    return _Peer(_name_box(pid), has_own_ids)


def _is_gone(pid: int) -> bool:
    """A system may hide a process that is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _name_box(pid: int) -> str:
    """Return the control groups of a process; its id if they are those of this process, which is in no box."""
    with suppress(OSError):
        groups = os.fsdecode(Path(f"/proc/{pid}/cgroup").read_bytes())
        if groups != os.fsdecode(Path("/proc/self/cgroup").read_bytes()):
            return groups
    return str(pid)
