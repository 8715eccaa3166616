"""Round trips of sessions, measured by our own clock; a bot's clock is never believed."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

from arena.match.scalars import Instant

PING_INTERVAL_S = 10.0
"""How often round trips are measured."""


class RoundTrip:
    """The shortest round trip of one session."""

    def __init__(self) -> None:
        self.shortest_us: int | None = None
        """None: none was measured yet."""
        self._pinged: int | None = None

    def start(self, now: Instant) -> int:
        """Begin to measure; gives the nonce that a pong has to repeat, which is the instant of asking."""
        self._pinged = now
        return now

    def end(self, nonce: int, at: Instant) -> None:
        """A pong has come. One that was not asked for, or comes twice, tells nothing."""
        if nonce == self._pinged:
            self._pinged = None
            self.shortest_us = min(max(0, at - nonce), self.shortest_us or at - nonce)


class Pingable(Protocol):
    """A session that answers pings."""

    def ping(self, now: Instant) -> None:
        """Ask for a pong."""


class Pinger:
    """Pings all sessions of a node now and then. Belongs to the running loop."""

    def __init__(self, sessions: Mapping[tuple[str, str], Pingable], clock: Callable[[], Instant]) -> None:
        self._sessions = sessions
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._loop.call_later(PING_INTERVAL_S, self._ping_all)

    def _ping_all(self) -> None:
        for session in self._sessions.values():
            session.ping(self._clock())
        self._loop.call_later(PING_INTERVAL_S, self._ping_all)
