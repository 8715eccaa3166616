"""Limits the rate of what each key does, such as an address or a bot.

Each key has a bucket of tokens that fills at a steady rate, and each act takes a token.
"""

from collections import OrderedDict
from collections.abc import Callable


class TokenBuckets:
    """The buckets of all keys."""

    def __init__(self, rate: float, burst: int, known_keys: int, clock: Callable[[], float]) -> None:
        """`rate` is in tokens a second, and a full bucket has `burst` tokens.

        If there are more than `known_keys`, the one that was silent for longest is forgotten. `clock` returns
        seconds since any fixed instant.
        """
        self._rate = rate
        self._burst = float(burst)
        self._most = known_keys
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """The tokens of each key, and when they were counted. The key that was silent for longest is first."""

    def take(self, key: str) -> float:
        """Take a token; return 0, or the seconds until there is one."""
        now = self._clock()
        tokens, at = self._buckets.pop(key, (self._burst, now))
        tokens = min(self._burst, tokens + (now - at) * self._rate)
        has_token = tokens >= 1
        self._buckets[key] = (tokens - has_token, now)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0 if has_token else (1 - tokens) / self._rate
