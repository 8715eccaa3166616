"""The clock of a league with dates, and how long its bots have been able to connect."""

import asyncio
import time
from typing import Final, Protocol

MAX_JUMP_S: Final = 5.0
"""The most that the two clocks may move apart between two looks. More means that the machine slept or was set."""
MAX_GAP_S: Final = 20.0
"""The most time between two looks. More means that this process stood still."""


class LeagueClock(Protocol):
    """The time for a league: what people call the time, and a clock that nobody sets."""

    def wall_s(self) -> float:
        """Return seconds since 1970. They may jump in either direction."""

    def steady_s(self) -> float:
        """Return seconds since any moment. They never run backwards, and may stand still while the machine sleeps."""

    async def sleep(self, seconds: float) -> None:
        """Return after this many seconds of the steady clock."""


class SystemClock:
    """Implements `LeagueClock` with the clocks of this machine."""

    def wall_s(self) -> float:
        """Return seconds since 1970."""
        return time.time()

    def steady_s(self) -> float:
        """Return seconds of the monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after this many seconds."""
        await asyncio.sleep(seconds)


class ServiceTime:
    """For how long bots have been able to connect without interruption.

    An interruption is a start of the league, a sleep of the machine, a stop of the process, or a change of the time.
    """

    def __init__(self, clock: LeagueClock) -> None:
        self._clock = clock
        self._since = clock.steady_s()
        self._wall, self._steady = clock.wall_s(), self._since

    def look(self) -> float:
        """Compare the clocks with the last look, and return the seconds since the last interruption. Call it often."""
        wall, steady = self._clock.wall_s(), self._clock.steady_s()
        passed = steady - self._steady
        if passed > MAX_GAP_S or abs(wall - self._wall - passed) > MAX_JUMP_S:
            self._since = steady
        self._wall, self._steady = wall, steady
        return steady - self._since
