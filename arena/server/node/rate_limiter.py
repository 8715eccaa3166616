"""Limits how many messages a session may send over all its streams (its rate limit), and counts invalid messages."""

from collections import deque

from arena.server.node.identity import SessionKey
from arena.server.node.limits import Limits
from arena.server.node.token_buckets import TokenBucket

_INVALID_WINDOW_US = 10_000_000


class RateLimiter:
    """Limits one session over all its streams, so that a session gains no messages by reconnecting.

    It may send some messages for each prompt that it was sent, and some per second.
    """

    def __init__(self, limits: Limits, now: int) -> None:
        """`now` is in microseconds on the node's clock."""
        self.dropped_count = 0
        """The number of messages dropped because they exceeded the quota."""
        self.asked_count = 0
        """How many prompts, offers, entropy requests, pings and intermissions the server sent on earlier streams."""
        self.last_offer = 0
        """The highest offer id that was counted. A repeated offer is not counted again."""
        self.last_entropy = 0
        """The highest offer id whose entropy request was counted."""
        self._limits = limits
        self._prompt_count = 0
        self._for_prompts = 0
        """How many messages it may still send for prompts."""
        self._for_time = TokenBucket(limits.messages_a_second, limits.messages_a_second, now, second=1e6)
        self._invalid: deque[int] = deque(maxlen=limits.invalid_messages)

    def grant(self, now: int, asked: int, wanted: int) -> int:
        """Return how many of `wanted` messages may be handled. `asked` is the number of prompts sent so far."""
        more = (asked - self._prompt_count) * self._limits.messages_a_prompt
        for_prompts = min(self._for_prompts + more, self._limits.frame_items)
        granted = min(wanted, for_prompts)
        self._prompt_count, self._for_prompts = asked, for_prompts - granted
        granted += self._for_time.take(now, wanted - granted)
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

    def keep(self, key: SessionKey, rate_limiter: RateLimiter, now: int) -> None:
        """Keep the rate limiter of a session whose stream has ended."""
        self._kept.pop(key, None)
        self._kept[key] = (now, rate_limiter)
        self._evict_expired(now)

    def take(self, key: SessionKey, now: int) -> RateLimiter | None:
        """Remove and return the rate limiter of a session; None if the session is new or was away too long."""
        self._evict_expired(now)
        _, rate_limiter = self._kept.pop(key, (now, None))
        return rate_limiter

    def ended_at(self, key: SessionKey) -> int | None:
        """Return when the stream of a session ended; None if it is connected, new or too long away."""
        kept = self._kept.get(key)
        return None if kept is None else kept[0]

    def _evict_expired(self, now: int) -> None:
        while self._kept:
            oldest = next(iter(self._kept))
            if len(self._kept) <= self._most and now - self._kept[oldest][0] <= self._kept_us:
                return
            del self._kept[oldest]
