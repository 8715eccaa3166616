"""Rows written by another program, or by an older version."""

import sqlite3

import pytest

from arena.competition.league.ports import BlockRow, LeagueRow
from arena.errors import StoreDamagedError
from arena.match.referee.ports import MatchId
from arena.server.store.open_store import Store


def write_raw(store: Store, statement: str) -> None:
    connection = sqlite3.connect(store.folder / "arena.db")
    with connection:
        connection.execute(statement)
    connection.close()


async def test_unreadable_row_is_damage_to_the_store(file_store: Store, match_row):
    row = match_row()
    await file_store.results.add_match(row)
    write_raw(file_store, "UPDATE match SET strikes = '{\"late\": 1}'")

    with pytest.raises(StoreDamagedError, match="a MatchRow that cannot be read: Expected `array`"):
        await file_store.results.match(row.match_id)


@pytest.mark.parametrize("results", ["NULL", "'null'", "'[]'"])
async def test_block_without_results_has_none(file_store: Store, results):
    row = BlockRow(1, 0, 1, "", (("ann", "bob"),), (MatchId("M1"),))
    await file_store.leagues.add_league(LeagueRow("cup", "L1", 12.5, "", {}))
    await file_store.leagues.open_block("cup", row)
    write_raw(file_store, f"UPDATE league_block SET results = {results}, insight = NULL")

    assert await file_store.leagues.blocks("cup") == [row]
