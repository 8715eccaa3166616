"""Limits the messages of a session and counts invalid ones, across the streams of the session."""

from collections import deque

from arena.node.hosted_match import SessionKey
from arena.node.limits import Limits, MessageQuota

_INVALID_WINDOW_US = 10_000_000


class RateLimiter:
    """Limits one session. It belongs to the session, not to a stream: reconnecting refills no allowance."""

    def __init__(self, limits: Limits, now: int) -> None:
        """`now` is in microseconds on the node's clock."""
        self.dropped_count = 0
        """The number of messages dropped beyond the allowance."""
        self.asked_count = 0
        """The prompts, offers, pings and intermissions that were sent on its earlier streams."""
        self.last_offer = 0
        """The highest offer id that was counted: a repeated offer is not counted again."""
        self.last_entropy = 0
        """The highest offer id whose entropy request was counted."""
        self._allowance = MessageQuota(limits, now)
        self._invalid: deque[int] = deque(maxlen=limits.invalid_messages)

    def grant(self, now: int, asked: int, wanted: int) -> int:
        """Return how many of `wanted` messages are handled; `asked` counts the prompts sent so far."""
        granted = self._allowance.take(now, asked, wanted)
        self.dropped_count += wanted - granted
        return granted

    def count_invalid(self, at: int) -> bool:
        """Count an invalid message; return whether there were too many within ten seconds."""
        self._invalid.append(at)
        return len(self._invalid) == self._invalid.maxlen and at - self._invalid[0] < _INVALID_WINDOW_US


class RateLimiterCache:
    """Keeps the rate limiters of sessions whose streams have ended, for a limited time and up to a limited number."""

    def __init__(self, most: int, kept_us: int) -> None:
        self._most = most
        self._kept_us = kept_us
        self._kept: dict[SessionKey, tuple[int, RateLimiter]] = {}
        """The rate limiters and the instants at which their streams ended, oldest first."""

    def keep(self, key: SessionKey, standing: RateLimiter, now: int) -> None:
        """Keep the rate limiter of a session whose stream has ended."""
        self._kept.pop(key, None)
        self._kept[key] = (now, standing)
        self._evict_expired(now)

    def take(self, key: SessionKey, now: int) -> RateLimiter | None:
        """Remove and return the rate limiter of a session; None if it is new or was away too long."""
        self._evict_expired(now)
        _, standing = self._kept.pop(key, (now, None))
        return standing

    def _evict_expired(self, now: int) -> None:
        while self._kept:
            oldest = next(iter(self._kept))
            if len(self._kept) <= self._most and now - self._kept[oldest][0] <= self._kept_us:
                return
            del self._kept[oldest]
