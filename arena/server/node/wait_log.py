"""Records recent waits of several milliseconds or more, each with the instant at which it ended."""

from collections import deque
from typing import Final

LONG_WAIT_US: Final = 2_500
"""Shorter waits are ordinary: a loop pass that handles input takes 1.5 ms and more."""
MAX_KEPT_WAITS: Final = 1024


class WaitLog:
    """Keeps the latest waits. Callers record only waits longer than `LONG_WAIT_US`."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: deque[tuple[int, int]] = deque(maxlen=MAX_KEPT_WAITS)

    def record(self, until: int, us: int) -> None:
        """Record a wait that ended at `until`."""
        self._kept.append((until, us))

    def longest_since(self, since: int) -> int:
        """Return the longest wait that ended since an instant, in microseconds; 0 if none was recorded."""
        found = 0
        for until, us in reversed(self._kept):
            if until < since:
                break
            found = max(found, us)
        return found
