"""Limits how many messages a session may send over all its streams (its rate limit), and counts invalid messages."""

from collections import deque

from arena.server.node.hosted_match import SessionKey
from arena.server.node.limits import Limits

_INVALID_WINDOW_US = 10_000_000


class MessageQuota:
    """The messages that a session may send: some for each prompt that it was sent, and some per second."""

    def __init__(self, limits: Limits, now: int) -> None:
        self._limits = limits
        self._prompt_count = 0
        self._for_prompts = 0
        self._for_time = float(limits.messages_a_second)
        self._last = now

    def take(self, now: int, asked: int, wanted: int) -> int:
        """Return how many of `wanted` messages are granted. `asked` is the number of prompts sent so far."""
        rate = self._limits.messages_a_second
        granted_before = self._for_prompts + (asked - self._prompt_count) * self._limits.messages_a_prompt
        self._for_prompts = min(granted_before, self._limits.frame_items)
        self._for_time = min(float(rate), self._for_time + (now - self._last) * rate / 1e6)
        self._prompt_count, self._last = asked, now
        granted = min(wanted, self._for_prompts)
        self._for_prompts -= granted
        besides = min(wanted - granted, int(self._for_time))
        self._for_time -= besides
        return granted + besides


class RateLimiter:
    """Limits one session over all its streams, so that a session gains no messages by reconnecting."""

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
        self._quota = MessageQuota(limits, now)
        self._invalid: deque[int] = deque(maxlen=limits.invalid_messages)

    def grant(self, now: int, asked: int, wanted: int) -> int:
        """Return how many of `wanted` messages may be handled. `asked` is the number of prompts sent so far."""
        granted = self._quota.take(now, asked, wanted)
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
