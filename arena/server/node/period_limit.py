"""Limits how often something happens within any period, for each of any number of keys.

A bucket of the same rate would admit almost twice as much within the period after a pause.
"""

from collections import deque
from typing import Final

MINUTE_US: Final = 60_000_000
HOUR_US: Final = 60 * MINUTE_US


class PeriodLimit:
    """Counts events by key over the last period. A key is forgotten soon after its latest event is a period old."""

    def __init__(self, most: int, period_us: int = MINUTE_US) -> None:
        """`most` is the number of events that a key may have within a period."""
        self._most = most
        self._period_us = period_us
        self._events: dict[str, deque[int]] = {}
        """By key: the instants of its latest events. Keys are in the order of their latest events, oldest first."""

    def admit(self, key: str, now: int) -> bool:
        """Count an event and return True; return False if the key has reached its limit. `now` is in microseconds."""
        self._forget(now - self._period_us)
        events = self._events.get(key)
        if events is not None and len(events) == self._most and now - events[0] < self._period_us:
            return False
        self._events[key] = self._events.pop(key, deque(maxlen=self._most))  # moves the key to the end
        self._events[key].append(now)
        return True

    def _forget(self, before: int) -> None:
        """Forget keys whose latest event is old."""
        while self._events:
            key = next(iter(self._events))
            if self._events[key][-1] >= before:
                return
            del self._events[key]
