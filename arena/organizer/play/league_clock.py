"""The clock of a league with dates, and how long its bots have been able to connect."""

import asyncio
import time
from typing import Final

MAX_JUMP_S: Final = 5.0
"""Seconds by which the two clocks may move apart between two calls of `look`. More means a sleep, or a change of the
time."""
MAX_GAP_S: Final = 20.0
"""The largest number of seconds between two calls of `look`. More means that this process stood still."""


class LeagueClock:
    """The two clocks of a league: the wall clock, and a steady clock that nobody can set."""

    def wall_s(self) -> float:
        """Return seconds since 1970. This time may jump in either direction."""
        return time.time()

    def steady_s(self) -> float:
        """Return seconds since some fixed moment. They never run backwards, but may stand still in a sleep."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after this many seconds of the steady clock."""
        await asyncio.sleep(seconds)


class ServiceTime:
    """Measures for how long bots have been able to connect without interruption.

    An interruption is a start of the league, a sleep of the machine, a stop of the process, or a change of the time.
    """

    def __init__(self, clock: LeagueClock) -> None:
        self._clock = clock
        self._since = clock.steady_s()
        self._wall, self._steady = clock.wall_s(), self._since

    def look(self) -> float:
        """Read the clocks, and return the seconds since the last interruption. Call this often."""
        wall, steady = self._clock.wall_s(), self._clock.steady_s()
        passed = steady - self._steady
        if passed > MAX_GAP_S or abs(wall - self._wall - passed) > MAX_JUMP_S:
            self._since = steady
        self._wall, self._steady = wall, steady
        return steady - self._since
