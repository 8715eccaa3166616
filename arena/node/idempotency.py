"""Which request made which match, by idempotency key: for as long as the match runs, and for some time after."""

from collections.abc import Callable
from typing import NamedTuple

from arena.errors import OptionError
from arena.match.ports import MatchId
from arena.match.scalars import Instant
from arena.node.hosted_match import HostedMatch


class KeyReusedError(OptionError):
    """The key stands for another request."""

    def __init__(self, key: str) -> None:
        super().__init__("idempotency_key", key, "it has made another match: take a new key for another request")


class _CreatedMatch(NamedTuple):
    digest: bytes
    """Of the request."""
    match_id: MatchId


class IdempotencyCache:
    """The keys that are known. Those of running matches are bounded by the number of matches."""

    def __init__(self, most_ended: int, kept_us: int) -> None:
        """Keys of matches that are over are kept for so many microseconds, and no more than so many."""
        self._most_ended = most_ended
        self._kept_us = kept_us
        self._by_key: dict[str, _CreatedMatch] = {}
        self._running: dict[MatchId, str] = {}
        """Keys."""
        self._ended: dict[str, int] = {}
        """Instants of their ends by key, oldest first."""

    def find(self, key: str, digest: bytes, now: int) -> MatchId | None:
        """The match that this request has made before. Raises KeyReusedError when another one has its key."""
        self._evict_expired(now)
        known = self._by_key.get(key)
        if known is None:
            return None
        if known.digest != digest:
            raise KeyReusedError(key)
        return known.match_id

    def add(self, key: str, digest: bytes, match_id: MatchId) -> None:
        """A request has made a match; without a key nothing is kept."""
        if key:
            self._by_key[key] = _CreatedMatch(digest, match_id)
            self._running[match_id] = key

    def mark_ended(self, match_id: MatchId, now: int) -> None:
        """A match is over."""
        key = self._running.pop(match_id, None)
        if key is not None:
            self._ended[key] = now
            self._evict_expired(now)

    def _evict_expired(self, now: int) -> None:
        while self._ended:
            oldest = next(iter(self._ended))
            if len(self._ended) <= self._most_ended and now - self._ended[oldest] <= self._kept_us:
                return
            del self._ended[oldest], self._by_key[oldest]


class KeyExpiry:
    """Has keys expire some time after the end of their matches; implements `MatchObserver`."""

    def __init__(self, keys: IdempotencyCache, clock: Callable[[], Instant]) -> None:
        self._keys = keys
        self._clock = clock

    def on_match_started(self, booking: HostedMatch) -> None:
        """The key of a match that runs is kept."""

    def on_match_ended(self, booking: HostedMatch) -> None:
        """A match is over."""
        self._keys.mark_ended(booking.match_id, self._clock())
