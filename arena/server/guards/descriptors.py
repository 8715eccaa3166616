"""Closes idle connections when file descriptors are scarce, and surplus connections of boxes and addresses at any time.

gRPC accepts connections until no descriptor is left, so a client that opens many could keep others out again and again.
While descriptors are scarce, the arena ends connections of three kinds:

* silent connections, which have not even sent the first bytes, although every client sends them immediately;
* idle connections, which have begun, but carry no open call of an identified caller. The address with the most idle
  connections loses its connections first, beginning with the oldest. So a client would need many addresses to keep
  others out;
* those of a box that has far too many on a Unix socket (`crowded_boxes`).

A connection holds up to 3 MB of the server, with calls whose answers nobody reads; gRPC for Python has no way to end a
single such call. So at any time, two kinds end: those of a box with far too many, and idle connections beyond the limit
of an address.

A connection with an open stream never ends, unless it is that of a box with far too many. A client whose idle
connection ends dials again for its next call. Only Linux tells how much a connection has sent. On other systems, only
gRPC's time limit helps.
"""

import asyncio
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
from arena.server.guards.crowded_boxes import MOST_CONNECTIONS, end_crowded_boxes
from arena.server.guards.repeated_events import RepeatedEvents
from arena.server.node.addresses import limited_network

log = get_logger(__name__)

MOST_DESCRIPTORS: Final = 65_536
"""The number of descriptors that the server requests: enough for all sessions, and not too many for memory."""
CHECK_INTERVAL_S: Final = 0.1
SCARCE_SHARE: Final = 0.9
"""Descriptors are scarce if the number of the lowest free one is at least this share of the limit."""
PREFACE_BYTES: Final = 24
"""An HTTP/2 client begins with 24 fixed bytes (RFC 9113, section 3.4). A TLS client begins with more bytes."""
SILENT_MS: Final = 250
"""How long a connection may be silent while descriptors are scarce. A real client sends bytes immediately."""

IDLE_S: Final = 1.5
"""How long a connection may be idle while descriptors are scarce. A real client calls immediately. This
suffices for two round trips by satellite, with some delay."""
FREED_SHARE: Final = 0.1
"""The share of the limit that one check may free by ending idle connections."""
SILENT_CLOSED: Final = "few file descriptors are left, silent connections are closed"
IDLE_CLOSED: Final = "few file descriptors are left, idle connections are closed"
CROWD_INTERVAL_S: Final = 2.0
"""Seconds between two counts of the connections that each box and each address has."""
CROWD_CLOSED: Final = "the connections of a box with too many are closed"
STRANGERS_CLOSED: Final = "connections without a call of a bot or an owner are closed, their address has too many"
CROWDED_CLOSED: Final = "few file descriptors are left, the connections of a box with too many are closed"

_LOOKED_AT: Final = 4096
"""The number of descriptors that one check looks at."""
_SLICE: Final = 64
"""The number of descriptors checked between two passes of the loop. This takes a fraction of a millisecond."""


def raise_descriptor_limit() -> None:
    """Let this process open as many descriptors as the system allows, up to MOST_DESCRIPTORS."""
    if os.name != "posix":
        return
    import resource  # noqa: PLC0415  Windows has none

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class IdleConnectionCloser:
    """Run `run` as a task."""

    def __init__(
        self,
        addresses: Sequence[str],
        calls: IdentifiedCalls,
        find_most_idle: Callable[[str], int | None] = lambda _: None,
    ) -> None:
        """`addresses` are the server's listeners, as HOST:PORT or unix:PATH. Only connections to them are ended.

        `find_most_idle` returns how many idle connections an address may have at any time; None means that there is no
        limit.
        """
        self._listeners = OwnListeners(addresses)
        self._calls = calls
        self._find_most_idle = find_most_idle
        self._next = 0
        """The descriptor that the next check begins with."""
        self._idle: dict[int, _IdleConnection] = {}
        """By descriptor: the connections that were idle when a check looked at them last."""
        self._counts_at = 0.0
        """When connections are counted next, in seconds by the monotonic clock."""
        self._events = RepeatedEvents(_log_closed)

    async def run(self) -> None:
        while sys.platform == "linux":
            await asyncio.sleep(CHECK_INTERVAL_S)
            limit = descriptor_limit()
            if find_free_descriptor(limit) >= SCARCE_SHARE * limit:
                await self.close_idle(limit)
            if time.monotonic() >= self._counts_at:
                await self.end_crowds()
                self._counts_at = time.monotonic() + CROWD_INTERVAL_S
            self._events.write_due()

    async def end_crowds(self) -> None:
        """Connections end however many descriptors are left."""
        limit = find_last_descriptor() + 1
        if limit <= MOST_CONNECTIONS:
            return
        if self._listeners.paths and (count := await end_crowded_boxes(limit, self._listeners, spares_others=True)):
            self._events.add(CROWD_CLOSED, count)
        if self._listeners.endpoints and (count := await self._end_strangers(limit)):
            self._events.add(STRANGERS_CLOSED, count)

    async def _end_strangers(self, limit: int) -> int:
        """End the idle connections that an address has beyond its limit, and return their number.

        The oldest go first: an honest client begins its call as soon as it is connected.
        """
        for number in range(limit):
            if number % _SLICE == 0:
                await asyncio.sleep(0)
                busy, now = self._calls.endpoints(), time.monotonic()
            self._look_at(number, busy, now, ends_silent=False)
        surplus: list[int] = []
        counts = Counter[str]()
        for number in sorted(self._idle, key=lambda each: (self._idle[each].since_s, each), reverse=True):
            address = self._idle[number].peer[0]
            most = self._find_most_idle(address)
            if number >= limit or most is None:  # it has not been looked at, or may stay
                continue
            counts[network := limited_network(address)] += 1
            if counts[network] > most:
                surplus.append(number)
        return self._end(surplus)

    async def close_idle(self, limit: int) -> None:
        """Look at some of the descriptors below `limit`. End the silent connections and the idle ones that are due."""
        silent, now = 0, time.monotonic()
        for count in range(min(limit, _LOOKED_AT)):
            if count % _SLICE == 0:
                await asyncio.sleep(0)
                busy = self._calls.endpoints()
            silent += self._look_at(self._next % limit, busy, now, ends_silent=True)
            self._next = (self._next + 1) % limit
        idle = self._end_idle(max(1, int(FREED_SHARE * limit)), now)
        crowded = await end_crowded_boxes(limit, self._listeners) if self._listeners.paths else 0
        for event, count in ((SILENT_CLOSED, silent), (IDLE_CLOSED, idle), (CROWDED_CLOSED, crowded)):
            if count:
                self._events.add(event, count)
        if silent or idle or crowded:
            await asyncio.sleep(CHECK_INTERVAL_S)  # until gRPC has closed the descriptors
            self._knock()

    def _knock(self) -> None:
        """Open and close a connection to each listener.

        A gRPC server that had no descriptors left accepts again only after a second, or when a new connection comes in.
        """
        for host, port in self._listeners.endpoints:
            with suppress(OSError), socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as knock:
                knock.setblocking(False)
                knock.connect((host, port))

    def _look_at(self, number: int, busy: frozenset[Endpoint], now_s: float, *, ends_silent: bool) -> bool:
        """Note an idle connection in `_idle`. If `ends_silent`, end a silent one instead and return True."""
        known = self._idle.pop(number, None)
        with borrow_connection(number, self._listeners.has_tcp) as connection:
            if connection is None:
                return False
            if ends_silent and is_silent(connection):
                connection.shutdown(socket.SHUT_RDWR)
                return True
            peer = find_peer(connection)
            if peer not in busy:
                self._idle[number] = known if known and known.peer == peer else _IdleConnection(peer, now_s)
        return False

    def _end_idle(self, most: int, now_s: float) -> int:
        """End up to `most` connections that have been idle for IDLE_S, and return how many were ended."""
        counts = Counter(each.peer[0] for each in self._idle.values())
        due = [number for number, each in self._idle.items() if now_s - each.since_s >= IDLE_S]
        due.sort(key=lambda number: (-counts[self._idle[number].peer[0]], self._idle[number].since_s, number))
        return self._end(due[:most])

    def _end(self, numbers: Sequence[int]) -> int:
        """End those connections that are still idle, and return their number."""
        busy, ended = self._calls.endpoints(), 0
        for number in numbers:
            peer = self._idle.pop(number).peer
            with borrow_connection(number, self._listeners.has_tcp) as connection:
                if connection is not None and peer not in busy and find_peer(connection) == peer:
                    connection.shutdown(socket.SHUT_RDWR)
                    ended += 1
        return ended


@dataclass(frozen=True, slots=True)
class _IdleConnection:
    """A connection without an open call of an identified caller."""

    peer: Endpoint
    since_s: float
    """When a check first found it idle, in seconds by the monotonic clock."""


def is_silent(connection: socket.socket) -> bool:
    """Return whether a connection has sent less than PREFACE_BYTES, and nothing for SILENT_MS. Raises OSError."""
    info = read_tcp_info(connection)
    return bool(info and info.is_established and info.received < PREFACE_BYTES and info.silent_ms >= SILENT_MS)


def descriptor_limit() -> int:
    """Return how many descriptors this process may have open."""
    import resource  # noqa: PLC0415  Windows has none

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def find_free_descriptor(limit: int) -> int:
    """Return `limit` if there is none."""
    try:
        number = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return limit
    os.close(number)
    return number


def find_last_descriptor() -> int:
    """Return the highest descriptor that this process has open, or may have open if no descriptor is free."""
    try:
        return max(int(each.name) for each in Path("/proc/self/fd").iterdir())
    except OSError:  # to read the folder takes a descriptor
        return descriptor_limit() - 1


def _log_closed(event: str, count: int, _: str) -> None:
    log.warning(event, count=count)
