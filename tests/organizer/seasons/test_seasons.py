"""Ratings are fitted when games end, and a season that is over is closed and publishes its report, exactly once."""

import json
from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest

from arena.competition.pools.pool import build_pools
from arena.competition.pools.pool_settings import PoolSettings
from arena.competition.pools.ports import CLOSED, RoundRow, SeasonRow, SeatedBot, SeatingRow
from arena.games.catalogue import games, resolve_game_and_preset
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.organizer.seasons.rating_process import RatingProcess
from arena.organizer.seasons.season_close import LONGEST_WAIT_S, report_folder_name
from arena.server.store.open_store import Store, open_store
from tools.studies.pool_week import draw_places

POOL = build_pools([PoolSettings(name="my pool", seats=4)], games(), resolve_game_and_preset, {})["my pool"]
SEASON = SeasonRow("my pool", 1, 0.0, POOL.rules_digest, POOL.describe())
BOTS = {"ann": 120.0, "bob": 40.0, "cyd": -40.0, "dan": -120.0}
ROUND = RoundRow("0" * 26, "my pool", 1.0, {})


@pytest.fixture
async def store(tmp_path):
    async with await open_store(tmp_path / "data") as opened:
        await opened.pools.open_season(SEASON)
        await opened.pools.add_round(ROUND)
        yield opened


async def play(store: Store, first: int, count: int, *, version: str = "1", ends: bool = True) -> None:
    """Play matches of all bots, with results that follow from their strengths."""
    random = Random(first)
    for number in range(first, first + count):
        names = random.sample(sorted(BOTS), 4)
        match_id = MatchId(f"{number:026d}")
        seated = tuple(
            SeatedBot(bot, "one", "Owner" if bot == "ann" else "", version if bot == "ann" else "", 1500, 350, 0.5)
            for bot in names
        )
        await store.pools.add_seating(
            SeatingRow(match_id, "my pool", 1, ROUND.round_id, float(number), rated=True, seated=seated, reason={})
        )
        row = MatchRow(
            match_id, number, "j", 1.0, "cheat", "standard", {"seating": "rotated"}, tuple(names), rated=True
        )
        await store.results.add_match(row)
        places = draw_places([BOTS[bot] for bot in names], random)
        await store.results.add_games(row, [GameRow(match_id, 0, places, "emptied", 30, "1", "0" * 64, b"")])
        if ends:
            figures = tuple({"decisions": 10, "think_s": 0.5, "lies": 2, "slowest_share": 0.1} for _ in names)
            ended = replace(row, state="ended", termination="finished", strikes=({},) * 4, statistics=figures)
            await store.results.end_match(ended)


async def test_new_games_are_fitted_and_old_ones_are_not_fitted_again(store):
    process = RatingProcess(store)
    await play(store, 1, 40)
    await process.fit_all(100.0)
    first = await store.pools.newest_fit("my pool", 1)
    assert first is not None
    assert (first.games, first.fitted_at) == (40, 100.0)
    await process.fit_all(200.0)
    assert await store.pools.newest_fit("my pool", 1) == first
    await play(store, 41, 1)
    await process.fit_all(300.0)
    newest = await store.pools.newest_fit("my pool", 1)
    assert newest is not None
    assert (newest.games, newest.fitted_at) == (41, 300.0)


async def test_new_process_comes_to_the_same_ratings(store):
    """A process that was killed leaves nothing that counts twice."""
    await play(store, 1, 60)
    process = RatingProcess(store)
    await process.fit_all(100.0)
    before = await store.pools.newest_fit("my pool", 1)
    await RatingProcess(store).fit_all(100.0)
    assert await store.pools.newest_fit("my pool", 1) == before


async def test_figures_of_a_version_are_summed(store):
    await play(store, 1, 30)
    await play(store, 31, 10, version="2")
    await RatingProcess(store).fit_all(100.0)
    rated = [row for bot in ("ann", "bob") for row in await store.pools.ratings_of(bot, "my pool", 1)]
    rows = {(row.bot, row.version): row for row in rated}
    assert rows["ann", "1"].figures["matches"] == 30
    assert rows["ann", "2"].figures["matches"] == 10
    assert rows["ann", "2"].figures["decisions"] == 100
    assert rows["ann", "2"].figures["think_s"] == pytest.approx(50.0)
    assert rows["ann", "2"].figures["slowest_share"] == 0.1
    assert rows["bob", ""].figures["lies"] == 80


async def test_season_that_is_over_publishes_its_report_and_is_closed(store):
    await play(store, 1, 50)
    await play(store, 51, 20, version="2")
    await store.pools.end_season("my pool", 1, 500.0)
    process = RatingProcess(store)
    await process.fit_all(499.0)
    assert (await store.pools.seasons())[0].state != CLOSED
    await process.fit_all(501.0)

    (season,) = await store.pools.seasons()
    assert (season.state, season.closed_at, season.report) == (CLOSED, 501.0, "pools/my-pool-season-1")
    page = (store.folder / season.report / "report.html").read_text(encoding="utf-8")
    document = json.loads((store.folder / season.report / "report.json").read_text(encoding="utf-8"))
    assert document["kind"] == "season"
    assert "my pool, season 1" in page
    assert "Season report" in page
    assert "league" not in page.lower(), "a season is none"
    assert "ann (1)" in page, "the earlier version has a row of its own"
    order = [row["name"] for row in document["standings"]["rows"]]
    assert order.index("bob") < order.index("dan")
    written = (store.folder / season.report / "report.html").stat().st_mtime_ns
    await process.fit_all(600.0)
    await RatingProcess(store).fit_all(700.0)
    assert (store.folder / season.report / "report.html").stat().st_mtime_ns == written
    assert (await store.pools.seasons())[0].closed_at == 501.0


async def test_season_waits_for_its_last_matches_but_not_for_ever(store):
    await play(store, 1, 10)
    await play(store, 11, 1, ends=False)
    await store.pools.end_season("my pool", 1, 500.0)
    process = RatingProcess(store)
    await process.fit_all(501.0)
    assert (await store.pools.seasons())[0].state != CLOSED
    await process.fit_all(500.0 + LONGEST_WAIT_S)
    assert (await store.pools.seasons())[0].state == CLOSED


async def test_season_without_games_closes_too(store):
    await store.pools.end_season("my pool", 1, 500.0)
    await RatingProcess(store).fit_all(501.0)
    (season,) = await store.pools.seasons()
    assert season.state == CLOSED
    assert (store.folder / season.report / "report.html").exists()


@pytest.mark.parametrize("name", ["a", "a b", "Žofie.2", "x_y+z#1"])
def test_folder_of_a_report_stays_in_its_place(name):
    folder = report_folder_name(replace(SEASON, pool=name))
    assert "/" not in folder
    assert not folder.startswith(".")


async def read_report(store: Store) -> dict[str, Any]:
    await store.pools.end_season("my pool", 1, 500.0)
    await RatingProcess(store).fit_all(501.0)
    text = (store.folder / "pools/my-pool-season-1/report.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


async def test_season_in_which_nobody_has_a_rank_has_no_champion(store):
    await play(store, 1, 20)
    report = await read_report(store)
    assert report["standings"]["champion"] == ""
    assert [row["place"] for row in report["standings"]["rows"]] == [None] * 4


async def test_new_version_and_earlier_ones_do_not_win_a_season(store):
    await play(store, 1, 150)
    await play(store, 151, 5, version="2")
    report = await read_report(store)
    rows = {row["name"]: row["place"] for row in report["standings"]["rows"]}
    assert (rows["ann"], rows["ann (1)"]) == (None, None)
    assert min(place for place in rows.values() if place) == rows["bob"] == 1
    assert report["standings"]["champion"].startswith("bob has won")
