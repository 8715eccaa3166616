"""Last uses of tokens: noted at once, recorded in batches, never lost to a store that cannot be written for a while."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.errors import StoreError
from arena.server.node.token_uses import NotedTokens, TokenUses
from arena.server.store.account_values import Scope, TokenIdentity

HANDLE = "cat_12345678"


class Tokens:
    """Tokens that keep what is recorded, or refuse it."""

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
def tokens() -> Tokens:
    return Tokens()


async def test_many_uses_are_one_record_with_the_latest_time(tokens: Tokens):
    clock = [100.0]
    uses = TokenUses(tokens, list, lambda: clock[0])
    noted = NotedTokens(tokens, uses)

    for clock[0] in (100.0, 101.0, 102.0):
        assert (await noted.check("secret")).name == "counter"
    assert tokens.recorded == []
    await uses.record()
    await uses.record()

    assert tokens.recorded == [{HANDLE: 102.0}, {}]


async def test_open_stream_counts_as_use(tokens: Tokens):
    stream: Any = SimpleNamespace(handle="cat_87654321")

    await TokenUses(tokens, lambda: [stream], lambda: 5.0).record()

    assert tokens.recorded == [{"cat_87654321": 5.0}]


async def test_uses_wait_while_the_store_cannot_be_written(tokens: Tokens):
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
