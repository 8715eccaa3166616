"""Limits the rate of what happens: a bucket of tokens fills at a steady rate, and each act takes a token."""

from collections import OrderedDict
from collections.abc import Callable


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
