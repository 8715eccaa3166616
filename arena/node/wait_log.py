"""What was out of the ordinary lately: waits of some milliseconds and more, with the instant at which each was over."""

from collections import deque
from typing import Final

LONG_WAIT_US: Final = 2_500
"""Shorter waits are ordinary: a pass of a loop that deals with what has come takes 1.5 ms and more."""
MAX_KEPT_WAITS: Final = 1024


class WaitLog:
    """The latest waits. Whoever measures one asks first whether it is longer than `LONG_WAIT_US`."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: deque[tuple[int, int]] = deque(maxlen=MAX_KEPT_WAITS)

    def record(self, until: int, us: int) -> None:
        """Keep a wait that is over."""
        self._kept.append((until, us))

    def longest_since(self, since: int) -> int:
        """The longest that ended after an instant, microseconds; 0: none out of the ordinary did."""
        found = 0
        for until, us in reversed(self._kept):
            if until < since:
                break
            found = max(found, us)
        return found
