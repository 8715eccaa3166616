"""The measurement of the pages' speed still works, in small, and no list looks at matches that it does not show."""

import pytest
from sqlalchemy import Connection

from arena.match.referee.ports import MatchId, MatchSearch
from arena.server.store.match_summaries import _select_newest
from arena.server.store.open_store import open_store
from tools.studies.web_speed import id_of, make, measure, paths_of


@pytest.mark.slow
@pytest.mark.long
def test_pages_of_a_small_store_are_measured(tmp_path):
    make(tmp_path / "data", count=300, recorded=70, bots=50)

    figures = measure(tmp_path / "data", count=300, recorded=70, bots=50)

    assert {name for name, _ in paths_of(300, 70, 50)} <= {*figures}
    assert all(seconds > 0 for row in figures.values() for seconds in row)


@pytest.mark.parametrize(
    "wanted",
    [
        MatchSearch(),
        MatchSearch(bot="a"),
        MatchSearch(game="cheat"),
        MatchSearch(state="running"),
        MatchSearch(bot="a", game="cheat", state="ended"),
    ],
)
@pytest.mark.parametrize("before", [None, id_of(5)])
async def test_every_search_follows_an_index(tmp_path, wanted: MatchSearch, before: MatchId | None):
    """SQLite sorts nothing, and what it searches is in the order of the list already."""

    def explain(connection: Connection) -> list[str]:
        statement = _select_newest(10, before, wanted).compile(connection, compile_kwargs={"literal_binds": True})
        return [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}")]

    async with await open_store(tmp_path) as store:
        plan = await store.database.read(explain)

    assert not [step for step in plan if "TEMP B-TREE" in step]
    assert [step for step in plan if "INDEX" in step or "PRIMARY KEY" in step]
