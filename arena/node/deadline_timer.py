"""Wakes a node one read margin after a deadline, so that answers which arrived in time have been read."""

import asyncio
from collections.abc import Callable

from arena.match.scalars import Instant

READ_MARGIN_US = 3_000
"""The read margin: how long after a deadline the node acts. In this time it reads the answers that reached the machine
before the deadline. Answers are still judged by their arrival stamp."""
READ_MARGIN_PASSES = 2
"""How many more loop passes follow the read margin before a deadline takes effect."""


class DeadlineTimer:
    """Holds the node's single timer. Belongs to the running loop."""

    def __init__(self, clock: Callable[[], Instant], act: Callable[[], None]) -> None:
        """`clock` returns microseconds. `act` is called after the timer has expired and been cleared."""
        self._clock = clock
        self._act = act
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None
        self._due = Instant(0)

    def set(self, due: Instant) -> None:
        """Wake the node at `due`. Does nothing if the timer is already set for an earlier instant."""
        if self._handle is not None:
            if self._due <= due:
                return
            self._handle.cancel()
        self._due = due
        delay_s = max(0, due + READ_MARGIN_US - self._clock()) / 1e6
        self._handle = self._loop.call_later(delay_s, self._wake, READ_MARGIN_PASSES)

    def _wake(self, passes: int) -> None:
        """Act after some more loop passes, in which the loop reads what has arrived."""
        if passes:
            self._loop.call_soon(self._wake, passes - 1)
            return
        self._handle = None
        self._act()
