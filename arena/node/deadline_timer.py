"""The one timer of a node: wakes it when something is due, a little late, so that what arrived in time was read."""

import asyncio
from collections.abc import Callable

from arena.match.scalars import Instant

READ_MARGIN_US = 3_000
"""A deadline is acted on so much later, so that what reached the machine in time has been read; answers are judged by
their stamp all the same."""
READ_MARGIN_PASSES = 2
"""And so many loop passes later."""


class DeadlineTimer:
    """Belongs to the running loop."""

    def __init__(self, clock: Callable[[], Instant], act: Callable[[], None]) -> None:
        """`act` is called when what the timer is set for is due, and the timer is not set any more."""
        self._clock = clock
        self._act = act
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None
        self._due = Instant(0)

    def set(self, due: Instant) -> None:
        """Wake for something that is due; nothing changes where the timer is set for something earlier."""
        if self._handle is not None:
            if self._due <= due:
                return
            self._handle.cancel()
        self._due = due
        delay_s = max(0, due + READ_MARGIN_US - self._clock()) / 1e6
        self._handle = self._loop.call_later(delay_s, self._wake, READ_MARGIN_PASSES)

    def _wake(self, passes: int) -> None:
        """Let the loop read what has arrived before anything is judged missing."""
        if passes:
            self._loop.call_soon(self._wake, passes - 1)
            return
        self._handle = None
        self._act()
