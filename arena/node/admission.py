"""Limits how many connections an address may have, and how many sessions may be opened per minute under a bot name.

Peers on this machine are exempt unless `Limits.binds_loopback` is set, because launched bots connect from here and a
local user has other ways to harm the machine. Behind a proxy all peers share the address of the proxy.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.errors import CapacityError
from arena.node.addresses import is_loopback, peer_address
from arena.node.limits import Limits

_MINUTE_US = 60_000_000


class AdmissionControl:
    """Counts the open streams and the recently opened sessions."""

    def __init__(self, limits: Limits, now: Callable[[], int]) -> None:
        """`now` returns the current time in microseconds."""
        self._limits = limits
        self._now = now
        self._streams: dict[str, Counter[str]] = {}
        """The number of open streams, by address and connection."""
        self._joins: dict[str, deque[int]] = {}
        """The instants of the latest new sessions, by bot name."""

    @contextmanager
    def admit_stream(self, peer: str) -> Iterator[None]:
        """Count a stream while it is open. Raises CapacityError if its address already has too many connections."""
        address, most = peer_address(peer), self._limits.connections_an_address
        streams = self._streams.setdefault(address, Counter())
        if peer not in streams and len(streams) >= most and self._is_limited(address):
            raise CapacityError(f"address {address} has {most} connections already, its limit")
        streams[peer] += 1
        try:
            yield
        finally:
            streams[peer] -= 1
            if not streams[peer]:
                del streams[peer]
            if not streams:
                del self._streams[address]

    def admit_new_session(self, name: str, peer: str) -> None:
        """Count a new session. Raises CapacityError if its bot has opened too many within the last minute."""
        if not self._is_limited(peer_address(peer)):
            return
        most, now = self._limits.joins_a_minute, self._now()
        joins = self._joins.setdefault(name, deque(maxlen=most))
        if len(joins) == most and now - joins[0] < _MINUTE_US:
            raise CapacityError(f"bot {name!r} has opened {most} new sessions within a minute, the limit of a token")
        joins.append(now)

    def _is_limited(self, address: str) -> bool:
        return self._limits.binds_loopback or not is_loopback(address)
