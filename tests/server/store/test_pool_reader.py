"""What pages read of pools: seasons, standings, the course and the opponents of a bot, and the matches of a season."""

from dataclasses import replace

from arena.competition.pools.ports import FitRow, MeetingRow, RatingRow, RoundRow
from arena.match.referee.ports import MatchId, MatchSearch
from arena.server.store.open_store import Store
from tests.server.store.test_pool_store import SEASON, match_id, play, seat, seating


def rating(bot: str, version: str = "1", last: int = 1, mean: float = 1500.0) -> RatingRow:
    return RatingRow(bot, version, mean, 50.0, 4, match_id(last), 1400.0, None, {"lies": 3, "think_s": 0.5})


def fit(season: int, *ratings: RatingRow, meetings: tuple[MeetingRow, ...] = (), pool: str = "open") -> FitRow:
    return FitRow(pool, season, 7_200.0, 9, (), 12, ratings, meetings)


async def found(store: Store, **wanted: object) -> list[MatchId]:
    summaries = await store.results.summaries(10, wanted=MatchSearch(**wanted))  # type: ignore[arg-type]  # as given
    return [summary.row.match_id for summary in summaries]


async def test_seasons_are_found_newest_first_and_by_number(store):
    for number in (1, 2, 3):
        await store.pools.open_season(replace(SEASON, season=number))
    await store.pools.open_season(other := replace(SEASON, pool="a pool"))

    reader = store.pools
    assert await reader.newest_seasons() == [other, replace(SEASON, season=3)]
    assert [row.season for row in await reader.seasons_of_pool("open", 2)] == [3, 2]
    assert await reader.season("open", 2) == replace(SEASON, season=2)
    assert (await reader.season("open", 4), await reader.season("nowhere", 1)) == (None, None)


async def test_standings_are_the_newest_fit_without_figures(store):
    await store.pools.add_fit(fit(1, rating("a"), rating("b", mean=1600.0)))

    newest = await store.pools.newest_fit("open", 1)

    assert newest == fit(1, replace(rating("a"), figures={}), replace(rating("b", mean=1600.0), figures={}))
    assert await store.pools.newest_fit("open", 2) is None


async def test_seasons_and_versions_of_a_bot(store):
    await store.pools.add_fit(fit(1, rating("a"), rating("b")))
    await store.pools.add_fit(fit(2, rating("a", "1", 7), rating("a", "2", 8), rating("b")))
    await store.pools.add_fit(fit(1, rating("a"), pool="another"))

    reader = store.pools
    assert await reader.seasons_of("a") == [("another", 1), ("open", 2), ("open", 1)]
    assert await reader.seasons_of("nobody") == []
    assert await reader.ratings_of("a", "open", 2) == [rating("a", "2", 8), rating("a", "1", 7)]


async def test_meetings_among_some_bots(store):
    pairs = tuple(MeetingRow(one, other, 2, 1.0) for one in "abc" for other in "abc" if one != other)
    await store.pools.add_fit(fit(1, rating("a"), meetings=pairs))

    among = await store.pools.meetings("open", 1, among=["a", "c"])

    assert among == [MeetingRow("a", "c", 2, 1.0), MeetingRow("c", "a", 2, 1.0)]


async def test_matches_of_a_season_are_found_by_state_and_bot(store):
    """Matches 1 and 2 have ended, 3 runs, 4 is of another pool, and 5 of no pool."""
    await seat(store, *(seating(number, "a", "b") for number in (1, 2, 3)))
    await store.pools.add_round(RoundRow("1" * 26, "another", 100.0, {}))
    await store.pools.add_seating(replace(seating(4, "a", "b"), pool="another", round_id="1" * 26))
    for number in (1, 2, 3, 4, 5):
        await play(store, number, (1, 2), ends=number != 3)

    season = ("open", 1)
    assert await found(store, season=season) == [match_id(3), match_id(2), match_id(1)]
    assert await found(store, season=season, state="ended") == [match_id(2), match_id(1)]
    assert await found(store, season=season, state="running") == [match_id(3)]
    assert await found(store, season=("another", 1), bot="a") == [match_id(4)]
    assert await found(store, season=("open", 2)) == []
    assert await store.pools.count_running() == {"open": 1}
