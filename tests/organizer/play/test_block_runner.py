"""An attempt at a block that lost a table: its cards stay secret as long as another table plays them."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.competition.league.ports import BlockRow
from arena.fleet.runner.connection import LineCutError
from arena.match.referee.ports import MatchId
from arena.organizer.play.block_runner import BlockRunner
from tests.server.store.conftest import MATCH

LOST, PLAYED = MatchId("01JZ8QK3T5V7X9B2D4F6H8M0N1"), MatchId("01JZ8QK3T5V7X9B2D4F6H8M0N2")
ROW = BlockRow(1, 0, 1, "", (("ann", "bob"), ("bob", "ann")), (LOST, PLAYED), ("j",))


class HalfLostBlock:
    """Everything around a block of two tables, of which the server plays one and has no journal of the other.

    `events` has what happens to the block, in order.
    """

    def __init__(self, folder: Path, *, is_cut: bool = False) -> None:
        self.events: list[str] = []
        self._is_cut = is_cut
        self.acts, self.journal, self.calls = (), "j", self
        league: Any = SimpleNamespace(entrants=())
        limiter: Any = SimpleNamespace(begin_games=lambda: 0)
        store: Any = SimpleNamespace(journals_folder=folder, results=self)
        judgement: Any = SimpleNamespace(lowers_results=False)
        around: Any = self
        self.runner = BlockRunner(league, around, around, store, limiter, 3.0, is_dated=False, judgement=judgement)

    async def play(self) -> None:
        node: Any = self
        await self.runner.play(ROW, node, (), lambda _: None, needs_everybody=False)

    # ---- the ledger, the store and the deals

    def unfinished_matches(self) -> tuple[MatchId, ...]:
        return ROW.matches

    async def open_attempt(self, row: BlockRow) -> None: ...

    async def retry_until_stored(self, access: Any) -> Any:
        return await access()

    async def void_attempt(self, row: BlockRow, reason: str, by: str) -> None:
        self.events.append(f"void: {reason}")

    async def matches_with_games(self, matches: tuple[MatchId, ...]) -> Any:
        return {match_id: (replace(MATCH, match_id=match_id), []) for match_id in matches}

    def terms(self, row: BlockRow, index: int) -> Any: ...

    def secret(self, row: BlockRow, index: int) -> Any: ...

    async def reveal(self, row: BlockRow) -> None:
        self.events.append("revealed")

    # ---- the node

    async def open_tables(self, wanted: object) -> tuple[MatchId, ...]:
        return (PLAYED,)

    async def play_shared_table(self, table: Any) -> None:
        if self._is_cut:
            raise LineCutError("the node has ended")
        self.events.append(f"over: {table.match_id}")


async def test_deal_is_revealed_after_the_table_that_goes_on(tmp_path):
    block = HalfLostBlock(tmp_path)

    await block.play()

    assert block.events == [f"over: {PLAYED}", f"void: the journal of game {LOST} is lost", "revealed"]


async def test_deal_stays_secret_if_the_node_ends_meanwhile(tmp_path):
    block = HalfLostBlock(tmp_path, is_cut=True)

    with pytest.raises(LineCutError):
        await block.play()

    assert block.events == []
