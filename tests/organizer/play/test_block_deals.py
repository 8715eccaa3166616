"""Deals of blocks: fixed in the chain once for each table, however often an attempt begins."""

import asyncio
from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from arena.competition.league.ports import BlockRow
from arena.errors import EnvironmentFaultError, StoreError
from arena.fleet.runner.connection import LineCutError
from arena.match.referee.ports import MatchId
from arena.organizer.file.league_file import SealedLeague
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.play.block_deals import BlockDeals
from arena.server.store.open_store import Store, open_store
from arena.server.store.receipt_key import open_receipt_key
from tests.organizer.leagues import LUCK, write_league

ROW = BlockRow(1, 0, 1, "", (("bot0", "bot1"), ("bot2", "bot3")), (MatchId("M1"), MatchId("M2")), ("n.journal",))


class OnlyNode:
    """A node that plays these tables."""

    is_up = True

    def __init__(self, playing: list[MatchId]) -> None:
        self._playing = playing
        self.calls = self

    async def open_tables(self, wanted: Collection[MatchId]) -> Collection[MatchId]:
        return [each for each in wanted if each in self._playing]


@pytest.fixture
async def store(tmp_path):
    async with await open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def deals(tmp_path, store: Store):
    file = read_league_file(write_league(tmp_path / "bots", bots=4, games=2, seats=2))
    return BlockDeals(SealedLeague.from_file(file), LUCK, store, open_receipt_key(tmp_path / "data"))


async def test_deal_fixed_before_interruption_stays_unchanged(store: Store, deals):
    for index in (0, 1):
        await deals.commit(ROW, index)
    before = await store.deals.chain()

    await deals.commit(ROW, 0)

    assert [row.match_id for row in before] == list(ROW.matches)
    assert await store.deals.chain() == before


async def test_existing_deal_does_not_delay_others(store: Store, deals):
    """Deals requested at the same time are fixed together, or else each alone."""
    await deals.commit(ROW, 1)

    await asyncio.gather(deals.commit(ROW, 0), deals.commit(ROW, 1))

    assert sorted(row.match_id for row in await store.deals.chain()) == list(ROW.matches)


async def test_different_deal_for_same_match_is_refused(store: Store, deals):
    await deals.commit(ROW, 0)

    with pytest.raises(EnvironmentFaultError, match="another deal of game M1"):
        await deals.commit(replace(ROW, attempt=1), 0)


async def test_deal_that_cannot_be_fixed_is_reported(store: Store, deals, monkeypatch):
    async def full(_):
        raise StoreError("the store is full")

    monkeypatch.setattr(store.deals, "commit", full)

    with pytest.raises(StoreError, match="full"):
        await deals.commit(ROW, 0)


async def test_deal_of_a_void_attempt_stays_secret_as_long_as_one_of_its_tables_is_played(store: Store, deals):
    for index in (0, 1):
        await deals.commit(ROW, index)
    amended: Any = SimpleNamespace(rows=[ROW], is_current=lambda row: False)

    await deals.reveal_left(amended, [OnlyNode([]), OnlyNode([MatchId("M2")])])
    assert await store.deals.unrevealed_shared_matches() == frozenset(ROW.matches)

    await deals.reveal_left(amended, [OnlyNode([])])
    assert not await store.deals.unrevealed_shared_matches()


async def test_tables_of_a_block_are_opened_with_one_deal(store, deals):
    for index in (0, 1):
        await deals.commit(ROW, index)
    assert await store.deals.unrevealed_shared_matches() == frozenset(ROW.matches)

    await deals.reveal(ROW)

    one, other = (row.revealed for row in await store.deals.chain())
    assert one["seed"] == other["seed"]
    assert one["salts"] != other["salts"]


@pytest.mark.parametrize("is_up", [True, False])
async def test_deals_of_a_server_that_cannot_be_asked_stay_hidden_and_a_lost_node_plays_nothing(
    store: Store, deals, is_up
):
    class Unreachable(OnlyNode):
        async def open_tables(self, wanted: Collection[MatchId]) -> Collection[MatchId]:
            raise LineCutError("lost")

    unreachable = Unreachable([])
    unreachable.is_up = is_up
    for index in (0, 1):
        await deals.commit(ROW, index)
    amended: Any = SimpleNamespace(rows=[ROW], is_current=lambda row: False)

    with pytest.raises(LineCutError) if is_up else nullcontext():
        await deals.reveal_left(amended, [unreachable])

    assert await store.deals.unrevealed_shared_matches() == (set(ROW.matches) if is_up else set())
