"""The ledger: which results count, and a store that is unavailable for a while."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from arena.competition.league.model import TableResult
from arena.competition.league.ports import DONE, BlockRow, LedgerEntry
from arena.errors import StoreDamagedError, StoreError
from arena.match.referee.ports import MatchId
from arena.organizer.seal import ledger as at_work
from arena.organizer.seal.ledger import Ledger
from arena.plain_data import to_plain


class Store:
    """A store in memory that can be unavailable."""

    def __init__(self) -> None:
        self.failures = 0
        self.ended: list[BlockRow] = []
        self.acts: list[LedgerEntry] = []

    def _fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreError("the disk is full")

    async def add_ledger_entry(self, league: str, kind: str, at: float, values: dict[str, Any]) -> LedgerEntry:
        self._fail()
        act = LedgerEntry(len(self.acts) + 1, at, kind, values)
        self.acts.append(act)
        return act

    async def open_block(self, league: str, row: BlockRow) -> None:
        self._fail()

    async def end_block(self, league: str, row: BlockRow) -> None:
        self._fail()
        self.ended.append(row)


ROW = BlockRow(1, 0, 1, "", (("ann", "bob"),), (MatchId("M"),))
RESULT = TableResult("M", ("ann", "bob"), (1, 2), "finished")


@pytest.mark.parametrize(
    ("edits", "what"),
    [
        ({"places": [9, -4]}, "the places [9, -4] of table 1 are impossible"),
        ({"places": [1]}, "the places [1] of table 1 are impossible"),
        ({"seats": ["ann", "cid"]}, "its results are not those of its tables"),
        ({"luck": [0.5]}, "the luck of table 1 is not a number for each seat"),
        ({"luck": ["NaN", 0.5]}, "its results cannot be read"),
        ({"match_id": 7}, "its results cannot be read"),
    ],
    ids=["places", "a place missing", "an entrant", "luck missing", "luck", "match"],
)
def test_edited_result_is_refused_with_its_block(edits, what):
    results = ({**to_plain(RESULT), "strikes": [], **edits},)
    row = replace(ROW, state=DONE, results=results)

    with pytest.raises(StoreDamagedError) as refused:
        Ledger("test", Store(), (), [row], lambda: 0.0)  # type: ignore[arg-type]  # nothing is asked of the store

    assert str(refused.value).startswith("block 1 of the league cannot be counted: " + what)
    assert "audit" in str(refused.value)


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def ledger(store, monkeypatch) -> Ledger:
    monkeypatch.setattr(at_work, "RETRY_S", 0.01)
    return Ledger("test", store, (), (), lambda: 7.0)


async def test_unavailable_store_pauses_league_and_loses_nothing(ledger: Ledger, store: Store):
    await ledger.open_attempt(ROW)
    store.failures = 3

    ending = asyncio.ensure_future(ledger.end_attempt(ROW, [RESULT]))
    await asyncio.sleep(0.005)
    was_paused = ledger.paused.is_set()
    await ending

    assert was_paused
    assert not ledger.paused.is_set()
    assert [row.state for row in store.ended] == ["done"]
    assert [result.tables for result in ledger.history] == [(RESULT,)]


async def test_unreadable_row_is_not_read_again(ledger: Ledger):
    reads = 0

    async def read() -> None:
        nonlocal reads
        reads += 1
        raise StoreDamagedError("the store has a MatchRow that cannot be read")

    async with asyncio.timeout(5):
        with pytest.raises(StoreDamagedError):
            await ledger.retry_until_stored(read)

    assert reads == 1
    assert not ledger.paused.is_set()


async def test_void_block_does_not_count_until_replayed(ledger: Ledger):
    await ledger.open_attempt(ROW)
    await ledger.end_attempt(ROW, [RESULT])

    await ledger.add_entry("void", {"block": 1, "attempt": 0})

    assert ledger.history == []
    assert ledger.current_attempt(1) == 1
    assert ledger.unfinished_attempt(1) is None


async def test_interrupted_attempt_is_continued(ledger: Ledger):
    await ledger.open_attempt(ROW)

    assert ledger.unfinished_attempt(1) == ROW
    await ledger.end_attempt(ROW, [RESULT])
    assert ledger.unfinished_attempt(1) is None
