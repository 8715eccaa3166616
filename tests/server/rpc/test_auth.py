"""Valid tokens are cached until one may have been revoked."""

import asyncio

import grpc
import pytest

from arena.errors import DeniedError
from arena.server.node.identity import TokenCache
from arena.server.store.account_values import Scope, TokenIdentity
from cheatarena.v1 import match_pb2
from tests.support.server import LocalServer
from tests.support.wire_bot import bearer, expect_refusal

NOON = 1_000.0


class Tokens:
    """An authority that counts its lookups, and can be told to take its time."""

    def __init__(self, expires_at=None):
        self.asked = 0
        self.is_revoked = False
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self._expires_at = expires_at

    async def check(self, secret):
        self.asked += 1
        is_revoked = self.is_revoked
        await self.may_answer.wait()
        if is_revoked:
            raise DeniedError("revoked")
        return TokenIdentity(secret, frozenset({Scope.ORGANIZE}), "cat_12345678", self._expires_at)


async def test_valid_token_is_looked_up_once():
    tokens = Tokens()
    known = TokenCache(tokens, lambda: NOON)

    first, second = await known.check("ann"), await known.check("ann")

    assert first == second
    assert tokens.asked == 1


async def test_each_token_is_cached_separately():
    known = TokenCache(Tokens(), lambda: NOON)

    names = [(await known.check(secret)).name for secret in ("ann", "bob", "ann")]

    assert names == ["ann", "bob", "ann"]


async def test_revoked_token_is_refused_once_forgotten():
    tokens = Tokens()
    known = TokenCache(tokens, lambda: NOON)
    await known.check("ann")
    tokens.is_revoked = True

    known.invalidate()

    with pytest.raises(DeniedError):
        await known.check("ann")


async def test_refused_token_is_looked_up_each_time():
    tokens = Tokens()
    tokens.is_revoked = True
    known = TokenCache(tokens, lambda: NOON)

    for _ in range(2):
        with pytest.raises(DeniedError):
            await known.check("ann")

    assert tokens.asked == 2


async def test_token_revoked_during_lookup_is_not_cached():
    """The store may have been read a moment before."""
    tokens = Tokens()
    known = TokenCache(tokens, lambda: NOON)
    tokens.may_answer.clear()
    checking = asyncio.ensure_future(known.check("ann"))
    await asyncio.sleep(0)
    tokens.is_revoked = True
    known.invalidate()
    tokens.may_answer.set()
    await checking

    with pytest.raises(DeniedError):
        await known.check("ann")


@pytest.mark.parametrize(("now", "asked"), [(NOON - 0.001, 1), (NOON, 2)])
async def test_expired_token_is_looked_up_again(now, asked):
    """It is valid before its expiry instant and invalid at that instant."""
    clock = [NOON - 1]
    tokens = Tokens(expires_at=NOON)
    known = TokenCache(tokens, lambda: clock[0])
    await known.check("ann")
    clock[0] = now

    await known.check("ann")

    assert tokens.asked == asked


async def test_organizer_with_revoked_token_is_refused(site: LocalServer):
    """The refusal starts within a second, however often it has called before."""
    asked, metadata = match_pb2.ListMatchesRequest(), bearer(await site.create_token("olga", "organize"))
    await site.matches.ListMatches(asked, metadata=metadata)

    await site.store.tokens.revoke("olga")
    await asyncio.sleep(1)
    refusal = await expect_refusal(site.matches.ListMatches(asked, metadata=metadata))

    assert refusal.code is grpc.StatusCode.UNAUTHENTICATED
