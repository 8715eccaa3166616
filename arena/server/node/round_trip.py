"""Measures the round trips of sessions with the node's own clock; bots' clocks are never used."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from arena.match.referee.inputs import NewRoundTrip
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.server.node.hosted_match import BotSession, HostedMatch, SessionKey

PING_INTERVAL_S = 10.0
"""Seconds between pings."""
KEPT_ROUND_TRIPS: Final = 16
"""How many of the latest round trips are kept. The shortest of them counts."""
_PRECISION_US: Final = 1_000
"""Round trips are recorded in whole milliseconds, so that a match has few such records."""


class RoundTrip:
    """Measures the shortest round trip of one session."""

    def __init__(self) -> None:
        self.shortest_us: int | None = None
        """The shortest of the latest round trips in microseconds; None until one is measured."""
        self._latest_us: deque[int] = deque(maxlen=KEPT_ROUND_TRIPS)
        self._pinged: int | None = None

    def start(self, now: Instant) -> int:
        """Start a measurement. Return the nonce that the pong must repeat: the instant of the ping."""
        self._pinged = now
        return now

    def end(self, nonce: int, at: Instant) -> None:
        """Finish a measurement with a pong that arrived at `at`; unrequested and repeated pongs are ignored."""
        if nonce == self._pinged:
            self._pinged = None
            self._latest_us.append(max(0, at - nonce))
            self.shortest_us = min(self._latest_us)


def known_round_trips(hosted: HostedMatch, sessions: Mapping[SessionKey, BotSession]) -> tuple[int, ...]:
    """Return each entrant's round trip as it is recorded, or 0 if unknown. Empty in a match without lag purses."""
    if not hosted.terms.pace.lag_purse:
        return ()
    found = [sessions[key].round_trip_us if key in sessions else None for key in hosted.keys]
    return tuple(_round_up(us or 0) for us in found)


def record_round_trip(
    hosted: HostedMatch, entrant: EntrantIndex, shortest_us: int | None, at: Instant, now: Instant
) -> None:
    """Record an entrant's round trip if it is known and has changed. Does nothing in a match without lag purses."""
    if shortest_us is None or not hosted.terms.pace.lag_purse or not hosted.is_running:
        return
    us = _round_up(shortest_us)
    if hosted.table.referee.entrant_records[entrant].clock.round_trip_us != us:
        hosted.table.apply(NewRoundTrip(at, now, entrant, us))


def _round_up(us: int) -> int:
    return -(-us // _PRECISION_US) * _PRECISION_US


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
