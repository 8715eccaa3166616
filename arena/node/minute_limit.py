"""Limits how often something happens within a minute, for each of any number of keys."""

from collections import deque

_MINUTE_US = 60_000_000


class MinuteLimit:
    """Counts events by key over the last minute. A key is forgotten soon after its latest event is a minute old."""

    def __init__(self, most: int) -> None:
        """`most` is the number of events that a key may have within a minute."""
        self._most = most
        self._events: dict[str, deque[int]] = {}
        """By key: the instants of its latest events. Keys are in the order of their latest events, oldest first."""

    def admit(self, key: str, now: int) -> bool:
        """Count an event and return True; return False if the key has reached its limit. `now` is in microseconds."""
        self._forget(now - _MINUTE_US)
        events = self._events.get(key)
        if events is not None and len(events) == self._most and now - events[0] < _MINUTE_US:
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
