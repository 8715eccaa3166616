"""A bot that leaves one owner's bots behind too often has the lower of two ratings."""

from random import Random

import pytest

from arena.competition.pools.accomplices import find_accomplices
from arena.competition.pools.ports import PlayedGame, SeasonBot
from arena.competition.pools.season_ratings import rate_season
from arena.competition.pools.season_results import SeasonResults
from tests.competition.pools.test_live_ratings import game
from tools.studies.pool_week import draw_places

CROWD = [f"bot{number}" for number in range(30)]


def play(games: int, friend_games: int, *mules: str, helps: bool = True) -> list[PlayedGame]:
    """Play a season of equal bots. Mules take turns in every fourth game of ann; if they help, they are last."""
    random, played = Random(1), list[PlayedGame]()

    def seat(*names: str) -> None:
        table = random.sample([*names, *random.sample(CROWD, 4 - len(names))], 4)
        places = draw_places([0.0] * 4, random)
        if helps and "ann" in table and (mule := {*table} & {*mules}):
            last = places[table.index(mule.pop())]
            places = tuple(4 if place == last else place - (place > last) for place in places)
        played.append(game(1_000 + len(played), table, places))

    for number in range(max(games, friend_games)):
        if number < games:
            seat()
        if number < friend_games:
            seat("ann", *([mules[number // 4 % len(mules)]] if number % 4 == 0 else []))
            seat(mules[number % len(mules)])
    return played


def rate(games: list[PlayedGame], bots: dict[str, SeasonBot], *, screens: bool) -> dict[str, float]:
    results = SeasonResults.from_games(games, bots)
    rated = rate_season(results, "pool", 1, find_accomplices(results, bots) if screens else {})
    assert rated is not None
    return {row.name: row.rating for row in rated.rows}


def find(games: list[PlayedGame], bots: dict[str, SeasonBot]) -> dict[str, frozenset[str]]:
    return dict(find_accomplices(SeasonResults.from_games(games, bots), bots))


def test_friend_of_a_mule_alone_has_another_rating():
    games = play(500, 160, "mule")
    assert find(games, {}) == {"ann": frozenset({"mule"})}

    screened, plain = (rate(games, {}, screens=screens) for screens in (True, False))

    assert screened["ann"] < plain["ann"] - 5
    assert {name for name in plain if screened[name] != plain[name]} == {"ann"}


def test_mules_of_one_owner_are_one_accomplice():
    games = play(500, 160, "mule0", "mule1", "mule2")
    owned = {name: SeasonBot(name, "Mallory") for name in ("mule0", "mule1", "mule2")}

    assert find(games, owned) == {"ann": frozenset(owned)}


@pytest.mark.parametrize(("friend_games", "helps"), [(160, False), (20, True)])
def test_honest_games_and_few_games_prove_nothing(friend_games: int, helps: bool):
    assert find(play(500, friend_games, "mule", helps=helps), {}) == {}


def test_bots_of_one_owner_and_house_bots_are_no_accomplices():
    games = play(500, 160, "mule")

    assert find(games, {name: SeasonBot(name, "Mallory") for name in ("ann", "mule")}) == {}
    assert find(games, {"mule": SeasonBot("mule", is_house=True)}) == {}
    assert find(games[:1], {}) == {}


def test_versions_of_a_bot_are_one_bot():
    games = play(500, 160, "mule")
    half = len(games) // 2
    later = [
        PlayedGame(
            each.match_id,
            each.game,
            tuple((bot, "2" if bot in ("ann", "mule") else v) for bot, v in each.seats),
            each.places,
        )
        for each in games[half:]
    ]

    found = find([*games[:half], *later], {})

    assert {*found} == {"ann", "ann, no version"}
    assert {*found.values()} == {frozenset({"mule", "mule, no version"})}
