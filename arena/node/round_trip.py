"""Measures the round trips of sessions with the node's own clock; bots' clocks are never used."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

from arena.match.scalars import Instant

PING_INTERVAL_S = 10.0
"""Seconds between pings."""


class RoundTrip:
    """Measures the shortest round trip of one session."""

    def __init__(self) -> None:
        self.shortest_us: int | None = None
        """The shortest round trip in microseconds; None until one is measured."""
        self._pinged: int | None = None

    def start(self, now: Instant) -> int:
        """Start a measurement. Return the nonce that the pong must repeat: the instant of the ping."""
        self._pinged = now
        return now

    def end(self, nonce: int, at: Instant) -> None:
        """Finish a measurement with a pong that arrived at `at`; unrequested and repeated pongs are ignored."""
        if nonce == self._pinged:
            self._pinged = None
            self.shortest_us = min(max(0, at - nonce), self.shortest_us or at - nonce)


class Pingable(Protocol):
    """Represents a session that answers pings."""

    def ping(self, now: Instant) -> None:
        """Send a ping."""


class Pinger:
    """Pings all sessions of a node at a fixed interval. Belongs to the running loop."""

    def __init__(self, sessions: Mapping[tuple[str, str], Pingable], clock: Callable[[], Instant]) -> None:
        self._sessions = sessions
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._loop.call_later(PING_INTERVAL_S, self._ping_all)

    def _ping_all(self) -> None:
        for session in self._sessions.values():
            session.ping(self._clock())
        self._loop.call_later(PING_INTERVAL_S, self._ping_all)
