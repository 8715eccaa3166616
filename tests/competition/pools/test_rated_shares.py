"""Of the games of a bot that count, at most a quarter are games with the bots of one other owner."""

from collections import defaultdict
from itertools import permutations
from random import Random

import pytest

from arena.competition.pools.ports import PlayedGame, SeasonBot
from arena.competition.pools.rated_shares import FIRST_MEETINGS, rated_shares
from tests.competition.pools.test_live_ratings import game

CROWD = [f"bot{number}" for number in range(30)]


def play(*tables: list[str], first: int = 1_000) -> list[PlayedGame]:
    return [game(first + number, seats, (1, 2, 3, 4)) for number, seats in enumerate(tables)]


def crowd(count: int, bots: list[str] = CROWD) -> list[PlayedGame]:
    random = Random(1)
    return play(*(random.sample(bots, 4) for _ in range(count)), first=0)


def count_rated(games: list[PlayedGame], bots: dict[str, SeasonBot], wanted: str) -> float:
    shares = rated_shares(games, bots)
    return float(sum(share for share, each in zip(shares, games, strict=True) if (wanted, "") in each.seats))


def test_where_everybody_meets_everybody_all_games_count():
    assert sum(rated_shares(crowd(400), {})) > 398, "of 435 pairs, one or two have met often by chance"
    assert rated_shares(crowd(100, CROWD[:4]), {}).tolist() == [1.0] * 100
    assert min(rated_shares(crowd(300, CROWD[:8]), {})) == 1.0
    assert rated_shares([], {}).tolist() == []


def test_two_that_always_meet_have_hardly_a_game_that_counts():
    quiet = play(*[["ann", "mule", "bot0", "bot1"]] * 200)
    assert count_rated([*crowd(400), *quiet], {}, "ann") == pytest.approx(FIRST_MEETINGS, abs=0.1)


def test_mules_that_take_turns_gain_nothing_by_it():
    quiet = play(*(["ann", f"mule{number % 2}", "bot0", "bot1"] for number in range(200)))
    assert count_rated([*crowd(400), *quiet], {}, "ann") <= 2 * FIRST_MEETINGS


def test_bots_of_one_owner_are_one_accomplice():
    random = Random(3)
    owned = {name: SeasonBot(name, "Mallory") for name in CROWD[:8]}
    games = [*crowd(800), *play(*(["ann", CROWD[number % 8], *random.sample(CROWD[8:], 2)] for number in range(200)))]
    assert count_rated(games, {}, "ann") > 190
    assert count_rated(games, owned, "ann") == pytest.approx(FIRST_MEETINGS, abs=0.1)


def test_a_quarter_of_the_games_that_count_are_with_one_owner():
    random = Random(2)
    tables = [[bot, *random.sample(CROWD, 3)] for bot in ("ann", "mule") for _ in range(90)]
    tables += [["ann", "mule", *random.sample(CROWD, 2)] for _ in range(90)]
    games = [*crowd(400), *play(*tables)]
    shares = rated_shares(games, {})
    assert count_rated(games, {}, "ann") == pytest.approx(120, rel=0.03)
    met: defaultdict[tuple[str, str], float] = defaultdict(float)
    for share, each in zip(shares, games, strict=True):
        for (one, _), (other, _) in permutations(each.seats, 2):
            met[one, other] += share
    assert met["ann", "mule"] == pytest.approx(30, rel=0.03)


def test_games_with_house_bots_count_in_full():
    house = {name: SeasonBot(name, is_house=True) for name in ("house-a", "house-b", "house-c")}
    alone = play(*[["ann", "house-a", "house-b", "house-c"]] * 100)
    assert count_rated([*crowd(400), *alone], house, "ann") == 100


def test_nobody_lowers_the_number_of_those_that_it_could_meet():
    """Bots with many games do not make the pool small: all count that have thirty."""
    quiet = play(*[["ann", "mule", "bot0", "bot1"]] * 2_000)
    assert count_rated([*crowd(400), *quiet], {}, "ann") == pytest.approx(FIRST_MEETINGS, abs=0.1)
