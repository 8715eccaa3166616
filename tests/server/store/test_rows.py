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


async def test_unreadable_row_is_damage_to_the_store(store: Store, match_row):
    row = match_row()
    await store.results.add_match(row)
    write_raw(store, "UPDATE match SET strikes = '{\"late\": 1}'")

    with pytest.raises(StoreDamagedError, match="a MatchRow that cannot be read: Expected `array`"):
        await store.results.match(row.match_id)


@pytest.mark.parametrize("results", ["NULL", "'null'", "'[]'"])
async def test_block_without_results_has_none(store: Store, results):
    row = BlockRow(1, 0, 1, "", (("ann", "bob"),), (MatchId("M1"),))
    await store.leagues.add_league(LeagueRow("cup", "L1", 12.5, "", {}))
    await store.leagues.open_block("cup", row)
    write_raw(store, f"UPDATE league_block SET results = {results}, insight = NULL")

    assert await store.leagues.blocks("cup") == [row]
