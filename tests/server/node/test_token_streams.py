"""Streams end with their tokens, and last uses of tokens are recorded, whether or not the store can be used."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.errors import StoreError
from arena.server.node.identity import TokenCache
from arena.server.node.token_streams import KEPT_EXPIRY_S, NotedTokens, RevokedStreamCloser, TokenUses
from arena.server.store.account_values import Revocations, Scope, TokenIdentity


class Tokens:
    """A store of tokens: what it has revoked by now, or None if it cannot be read."""

    record_uses: Any

    def __init__(self) -> None:
        self.revocations: Revocations | None = Revocations(0, ())
        self.asked_since: list[int] = []
        self.checks = 0

    async def check(self, secret: str) -> TokenIdentity:
        self.checks += 1
        return TokenIdentity("ann", frozenset({Scope.PLAY}), f"handle of {secret}")

    async def revocations_since(self, revision: int) -> Revocations:
        self.asked_since.append(revision)
        if self.revocations is None:
            raise StoreError("the disk is gone")
        return self.revocations


class Stream:
    """An open stream, with the reason for which it was ended."""

    def __init__(self, handle: str, expires_at: float | None = None, owner: str | None = None) -> None:
        self.handle, self.expires_at, self.owner = handle, expires_at, owner
        self.reason = self.detail = ""

    def end(self, reason: str, detail: str) -> None:
        self.reason, self.detail = reason, detail

    def expel(self, detail: str) -> None:
        self.reason, self.detail = "expelled", detail


class Site:
    """A closer with its tokens, its cache and two streams."""

    def __init__(self) -> None:
        self.tokens = Tokens()
        self.cache = TokenCache(self.tokens, lambda: 0.0)
        self.streams = [Stream("one"), Stream("two")]
        self.closer = RevokedStreamCloser(lambda: self.streams, self.tokens, self.cache)

    @property
    def reasons(self) -> list[str]:
        return [stream.reason for stream in self.streams]

    async def checks_of(self, look: Any) -> int:
        """Return how often the store is asked for a cached token after the closer has looked."""
        await self.cache.check("secret")
        await look
        before = self.tokens.checks
        await self.cache.check("secret")
        return self.tokens.checks - before


@pytest.fixture
def site() -> Site:
    return Site()


async def test_stream_of_a_revoked_token_ends_and_the_cache_forgets(site: Site):
    site.tokens.revocations = Revocations(7, ("one",))

    assert await site.checks_of(site.closer._end_revoked()) == 1
    await site.closer._end_revoked()

    assert site.reasons == ["token_revoked", ""]
    assert site.tokens.asked_since == [0, 7]


async def test_cache_is_kept_while_nothing_is_revoked(site: Site):
    assert await site.checks_of(site.closer._end_revoked()) == 0


async def test_cache_forgets_while_the_store_cannot_be_read(site: Site):
    """A token could have been revoked meanwhile. Nothing is skipped: the next look asks from the same revision."""
    site.tokens.revocations = None

    assert await site.checks_of(site.closer._end_revoked()) == 1
    site.tokens.revocations = Revocations(3, ("two",))
    await site.closer._end_revoked()

    assert site.tokens.asked_since == [0, 0]
    assert site.reasons == ["", "token_revoked"]


async def test_stream_of_a_rotated_token_ends_when_its_overlap_is_over(site: Site):
    """Even a stream that opened while the token was rotated, and so holds the later expiry."""
    site.tokens.revocations = Revocations(1, (), {"one": 100.0})
    await site.closer._end_revoked()

    site.closer._end_expired(99.0)
    assert site.reasons == ["", ""]
    site.closer._end_expired(100.0)
    late = Stream("one", expires_at=500.0)
    site.streams.append(late)
    site.closer._end_expired(100.0 + KEPT_EXPIRY_S - 1)

    assert site.reasons == ["token_expired", "", "token_expired"]


async def test_expired_token_ends_its_stream(site: Site):
    site.streams[1].expires_at = 50.0

    site.closer._end_expired(50.0)

    assert site.reasons == ["", "token_expired"]


async def test_streams_of_a_banned_owner_end_with_the_reason_and_the_cache_forgets_once(site: Site):
    site.streams = [Stream("one", owner="ann"), Stream("two", owner="bob"), Stream("three")]
    site.tokens.revocations = Revocations(0, (), banned={"ann": "two accounts"})

    assert await site.checks_of(site.closer._end_revoked()) == 1
    assert await site.checks_of(site.closer._end_revoked()) == 0

    assert site.reasons == ["expelled", "", ""]
    assert site.streams[0].detail == "'ann' is banned from this server: two accounts"


HANDLE = "cat_12345678"


class UsedTokens:
    """UsedTokens that keep what is recorded, or refuse it."""

    def __init__(self) -> None:
        self.recorded: list[dict[str, float]] = []
        self.is_broken = False

    async def check(self, secret: str) -> TokenIdentity:
        return TokenIdentity("counter", frozenset({Scope.PLAY}), HANDLE)

    async def revocations_since(self, revision: int) -> Any:
        raise NotImplementedError

    async def record_uses(self, uses: Any) -> None:
        if self.is_broken:
            raise StoreError("the disk is full")
        self.recorded.append(dict(uses))


@pytest.fixture
def tokens() -> UsedTokens:
    return UsedTokens()


async def test_many_uses_are_one_record_with_the_latest_time(tokens: UsedTokens):
    clock = [100.0]
    uses = TokenUses(tokens, list, lambda: clock[0])
    noted = NotedTokens(tokens, uses)

    for clock[0] in (100.0, 101.0, 102.0):
        assert (await noted.check("secret")).name == "counter"
    assert tokens.recorded == []
    await uses.record()
    await uses.record()

    assert tokens.recorded == [{HANDLE: 102.0}, {}]


async def test_open_stream_counts_as_use(tokens: UsedTokens):
    stream: Any = SimpleNamespace(handle="cat_87654321")

    await TokenUses(tokens, lambda: [stream], lambda: 5.0).record()

    assert tokens.recorded == [{"cat_87654321": 5.0}]


async def test_uses_wait_while_the_store_cannot_be_written(tokens: UsedTokens):
    clock = [100.0]
    uses = TokenUses(tokens, list, lambda: clock[0])
    uses.note("old")
    uses.note("both")
    tokens.is_broken = True
    await uses.record()
    clock[0] = 200.0
    uses.note("both")
    tokens.is_broken = False

    await uses.record()

    assert tokens.recorded == [{"old": 100.0, "both": 200.0}]
