"""How a session stands with the server: what it may still say, what it has done wrong. It outlives a lost stream."""

from collections import deque

from arena.node.hosted_match import SessionKey
from arena.node.limits import Limits, MessageQuota

_INVALID_WINDOW_US = 10_000_000


class RateLimiter:
    """Belongs to a session, not to one of its streams: to come back refills nothing."""

    def __init__(self, limits: Limits, now: int) -> None:
        """`now`: microseconds on the node's clock."""
        self.dropped_count = 0
        """Messages beyond the allowance."""
        self.asked_count = 0
        """Prompts, offers, pings and breaks that its earlier streams were given."""
        self.last_offer = 0
        """The highest id of an offer that was counted: one that comes again is none anew."""
        self.last_entropy = 0
        """The same of questions for entropy."""
        self._allowance = MessageQuota(limits, now)
        self._invalid: deque[int] = deque(maxlen=limits.invalid_messages)

    def grant(self, now: int, asked: int, wanted: int) -> int:
        """How many of so many messages are dealt with; `asked` counts what it was given so far."""
        granted = self._allowance.take(now, asked, wanted)
        self.dropped_count += wanted - granted
        return granted

    def count_invalid(self, at: int) -> bool:
        """Note a message that is none of the protocol; tells whether these are too many in too short a time."""
        self._invalid.append(at)
        return len(self._invalid) == self._invalid.maxlen and at - self._invalid[0] < _INVALID_WINDOW_US


class RateLimiterCache:
    """Those of sessions whose streams have ended: kept for a time, and no more than so many."""

    def __init__(self, most: int, kept_us: int) -> None:
        self._most = most
        self._kept_us = kept_us
        self._kept: dict[SessionKey, tuple[int, RateLimiter]] = {}
        """With the instant of the end; oldest first."""

    def keep(self, key: SessionKey, standing: RateLimiter, now: int) -> None:
        """A stream has ended."""
        self._kept.pop(key, None)
        self._kept[key] = (now, standing)
        self._evict_expired(now)

    def take(self, key: SessionKey, now: int) -> RateLimiter | None:
        """A session opens a stream; None when it is new, or was away for too long."""
        self._evict_expired(now)
        _, standing = self._kept.pop(key, (now, None))
        return standing

    def _evict_expired(self, now: int) -> None:
        while self._kept:
            oldest = next(iter(self._kept))
            if len(self._kept) <= self._most and now - self._kept[oldest][0] <= self._kept_us:
                return
            del self._kept[oldest]
