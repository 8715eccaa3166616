"""Limits how often something happens: by a bucket of tokens that fills at a steady rate, or by a count over a period.

A bucket of the same rate would admit almost twice as much within the period after a pause. `RateLimiter` puts buckets
and counts together for the messages of a session.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

from arena.match.referee.scalars import SessionKey
from arena.server.node.limits import Limits


class TokenBucket:
    """A bucket, full at first."""

    __slots__ = ("_at", "_burst", "_rate", "_second", "_tokens")

    def __init__(self, rate: float, burst: int, now: float, second: float = 1.0) -> None:
        """`rate` is in tokens a second, and a full bucket has `burst` tokens. `second` is one in the unit of `now`."""
        self._rate = rate
        self._burst = self._tokens = float(burst)
        self._at = now
        self._second = second

    def take(self, now: float, wanted: int = 1) -> int:
        """Take as many of the `wanted` tokens as there are, and return how many."""
        tokens = min(self._burst, self._tokens + (now - self._at) * self._rate / self._second)
        taken = min(wanted, int(tokens))
        self._tokens, self._at = tokens - taken, now
        return taken

    @property
    def wait_s(self) -> float:
        """The seconds from the latest `take` until there is a token."""
        return (1 - self._tokens) / self._rate


class TokenBuckets:
    """A bucket for each key, such as an address or a bot."""

    def __init__(self, rate: float, burst: int, known_keys: int, clock: Callable[[], float]) -> None:
        """If there are more than `known_keys`, the one that was silent for longest is forgotten.

        `clock` returns seconds since any fixed instant.
        """
        self._rate = rate
        self._burst = burst
        self._most = known_keys
        self._clock = clock
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        """The key that was silent for longest is first."""

    def take(self, key: str) -> float:
        """Take a token; return 0, or the seconds until there is one."""
        now = self._clock()
        bucket = self._buckets.pop(key, None) or TokenBucket(self._rate, self._burst, now)
        self._buckets[key] = bucket
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0 if bucket.take(now) else bucket.wait_s


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
        while self._events:
            key = next(iter(self._events))
            if self._events[key][-1] >= before:
                return
            del self._events[key]


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
