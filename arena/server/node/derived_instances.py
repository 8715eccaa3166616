"""Tells programs apart that derive the same instance, and brings each that starts again to the seats of its last run.

The last run may still count as connected, because nobody knows yet that its line is dead. Then the new one gets a
number and no seats. It takes them over once the last run is gone. If that one lives and comes back after all, it
replaces the new one by its instance, as every stream does; the new one then needs a random name, so this ends.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from arena.match.referee.scalars import Instant, SessionKey
from arena.server.node.rate_limits import RateLimiterCache
from arena.server.node.session import Session
from arena.server.node.session_registry import SessionRegistry

MAX_INSTANCE: Final = 64
"""The most characters of an instance."""
_GONE_US: Final = 3_000_000
"""How long a stream is over before its program counts as gone. One that lives comes back sooner."""
_NUMBERED: Final = re.compile(r"([0-9a-f]{16})\.[0-9]+")
"""An instance that got its number here. The guide says how programs derive the rest, so nobody chooses such a name."""


class DerivedInstances:
    def __init__(
        self,
        sessions: Mapping[SessionKey, Session],
        seats: SessionRegistry,
        standings: RateLimiterCache,
        most: int,
        now: Callable[[], Instant],
    ) -> None:
        """`most` is the largest number of sessions of a bot."""
        self._sessions = sessions
        self._seats = seats
        self._standings = standings
        self._most = most
        self._now = now
        self._started = now()

    def find_free(self, name: str, derived: str) -> SessionKey:
        """Return the key of a program that derived an instance: with a number at its end if another program has it.

        A free one that holds seats comes first: its program has ended, and the new one is that program started again.
        Those that are connected and hold seats are pinged, so that the silence of a dead line counts from now on.
        """
        keys = self._programs(name, derived)
        for key in keys:
            if key in self._sessions and self._seats.count_seats(key):
                self._sessions[key].ping(self._now())
        free = [key for key in keys if key not in self._sessions]
        return next((key for key in free if self._seats.count_seats(key)), free[0])

    def find_abandoned(self, key: SessionKey) -> SessionKey | None:
        """Return whose seats a program with a number takes over, because it has none and that program is gone."""
        numbered = _NUMBERED.fullmatch(key[1])
        if numbered is None or self._seats.count_seats(key):
            return None
        return next((each for each in self._programs(key[0], numbered[1]) if self._is_abandoned(each)), None)

    def _programs(self, name: str, derived: str) -> list[SessionKey]:
        """Return the keys of a bot's programs if all derive the same instance: one plain, the others numbered."""
        numbered = [f"{derived[: MAX_INSTANCE - 8]}.{number}" for number in range(2, self._most + 2)]
        return [(name, each) for each in (derived, *numbered)]

    def _is_abandoned(self, key: SessionKey) -> bool:
        """Return whether a session has seats to play, and its program is gone."""
        ended_at = self._standings.ended_at(key) or self._started
        is_gone = key not in self._sessions and self._now() - ended_at >= _GONE_US
        return is_gone and any(
            hosted.is_running and not hosted.table.referee.entrant_records[entrant].gone
            for hosted, entrant in self._seats.seats_of(key)
        )
