"""Remembers which request created which match until some time after the match has ended.

A key belongs to the organizer who used it. Another organizer may use the same key for another match.
"""

from collections.abc import Callable
from typing import NamedTuple

from arena.errors import OptionError
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import Instant
from arena.server.node.hosted_match import HostedMatch


class KeyReusedError(OptionError):
    """An idempotency key was already used for another request."""

    def __init__(self, key: str) -> None:
        super().__init__("idempotency_key", key, "another match was created with it: use a new key for another request")


OwnedKey = tuple[str, str]
"""The name of an organizer and the idempotency key."""


class _CreatedMatch(NamedTuple):
    digest: bytes
    match_id: MatchId


class IdempotencyCache:
    """Maps idempotency keys to matches. A running match has at most one key; keys of ended matches expire."""

    def __init__(self, most_ended: int, kept_us: int) -> None:
        """Keep at most `most_ended` keys of ended matches, each for `kept_us` microseconds."""
        self._most_ended = most_ended
        self._kept_us = kept_us
        self._by_key: dict[OwnedKey, _CreatedMatch] = {}
        self._running: dict[MatchId, OwnedKey] = {}
        self._ended: dict[OwnedKey, int] = {}
        """When the match of each key ended, oldest first."""

    def find(self, key: OwnedKey, digest: bytes, now: int) -> MatchId | None:
        """Raises KeyReusedError if another request has used the key."""
        self._evict_expired(now)
        known = self._by_key.get(key)
        if known is None:
            return None
        if known.digest != digest:
            raise KeyReusedError(key[1])
        return known.match_id

    def add(self, key: OwnedKey, digest: bytes, match_id: MatchId) -> None:
        """An empty key is not stored."""
        if key[1]:
            self._by_key[key] = _CreatedMatch(digest, match_id)
            self._running[match_id] = key

    def mark_ended(self, match_id: MatchId, now: int) -> None:
        """Start the expiry of a match's key."""
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
    """Lets the key of a match expire some time after its end. Implements `MatchObserver`."""

    def __init__(self, keys: IdempotencyCache, clock: Callable[[], Instant]) -> None:
        self._keys = keys
        self._clock = clock

    def on_match_started(self, hosted: HostedMatch) -> None:
        """Do nothing: the key of a running match does not expire."""

    def on_match_ended(self, hosted: HostedMatch) -> None:
        self._keys.mark_ended(hosted.match_id, self._clock())
