"""Standings are made once for each fit, and no page shows those of an earlier one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from arena.competition.pools.ports import FitRow, RatingRow, SeasonRow
from arena.match.referee.ports import MatchId
from arena.server.store.open_store import Store, open_store
from arena.web.pool_standings import PoolStandings

SEASON = SeasonRow("open", 1, 0.0, "digest", {})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def open_standings(folder: Path, clock: Clock) -> AsyncIterator[tuple[Store, PoolStandings]]:
    async with await open_store(folder) as store:
        await store.pools.open_season(SEASON)
        yield store, PoolStandings(store, clock)


def fit(at: float, rating: float) -> FitRow:
    row = RatingRow("ann", "1", rating, 20.0, 50, MatchId("0" * 26), rating - 50, rating + 50)
    return FitRow("open", 1, at, 9, (), 100, (row,))


async def test_standings_are_kept_until_the_next_fit(tmp_path):
    async with open_standings(tmp_path, Clock()) as (store, standings):
        before = await standings.read(SEASON)
        await store.pools.add_fit(fit(1.0, 1500.0))
        first = await standings.read(SEASON)
        again = await standings.read(SEASON)
        await store.pools.add_fit(fit(2.0, 1600.0))
        second = await standings.read(SEASON)

    assert (before.fitted_at, before.games, list(before.lines)) == (None, 0, [])
    assert again is first
    assert [(each.fitted_at, each.lines[0].rating) for each in (first, second)] == [(1.0, 1500.0), (2.0, 1600.0)]


async def test_new_name_of_an_owner_is_shown_after_a_minute(tmp_path):
    """No fit comes with it."""
    clock = Clock()
    async with open_standings(tmp_path, clock) as (store, standings):
        await store.owners.add("ada", "", 4)
        await store.tokens.create("ada", ["own"], owner="ada")
        await store.owners.create_bot("ada", "ann")
        await store.pools.add_fit(fit(1.0, 1500.0))
        before = (await standings.read(SEASON)).lines[0].owner
        await store.personal.rename("ada", "eve")
        clock.now = 61.0
        after = (await standings.read(SEASON)).lines[0].owner

    assert (before, after) == ("ada", "eve")
