"""A bot's games with one other owner count in full up to an eighth of its games, and beyond that less and less."""

from random import Random

import pytest

from arena.competition.pools.ports import PlayedGame, SeasonBot
from arena.competition.pools.rated_shares import FIRST_MEETINGS, rated_shares
from tests.competition.pools.test_live_ratings import game

CROWD = [f"bot{number}" for number in range(30)]
BIG_CROWD = [f"bot{number}" for number in range(80)]


def play(*tables: list[str], first: int = 1_000) -> list[PlayedGame]:
    return [game(first + number, seats, (1, 2, 3, 4)) for number, seats in enumerate(tables)]


def crowd(count: int, bots: list[str] = CROWD) -> list[PlayedGame]:
    random = Random(1)
    return play(*(random.sample(bots, 4) for _ in range(count)), first=0)


def count_rated(games: list[PlayedGame], bots: dict[str, SeasonBot], wanted: str) -> float:
    shares = rated_shares(games, bots)
    return float(sum(share for share, each in zip(shares, games, strict=True) if (wanted, "") in each.seats))


def test_where_everybody_meets_everybody_all_games_count():
    assert sum(rated_shares(crowd(400), {})) > 396, "of 435 pairs, one or two have met often by chance"
    assert rated_shares(crowd(100, CROWD[:4]), {}).tolist() == [1.0] * 100
    assert min(rated_shares(crowd(300, CROWD[:8]), {})) == 1.0
    assert rated_shares([], {}).tolist() == []


def test_two_halves_of_a_pool_that_are_awake_at_other_times_lose_no_game():
    games = play(*(Random(number).sample(CROWD[number % 2 * 8 :][:8], 4) for number in range(400)))
    assert min(rated_shares(games, {})) == 1.0


@pytest.mark.parametrize("count", [30, 200])
def test_of_two_that_always_meet_no_game_counts(count: int):
    """Bots with many games do not make the pool small: all count that have thirty."""
    quiet = play(*[["ann", "mule", "bot0", "bot1"]] * count)
    assert count_rated([*crowd(400), *quiet], {}, "ann") < 0.1


def test_first_meetings_count():
    quiet = play(*[["ann", "mule", "bot0", "bot1"]] * FIRST_MEETINGS)
    assert count_rated([*crowd(400), *quiet], {}, "ann") == FIRST_MEETINGS


def test_mules_that_take_turns_gain_nothing_by_it():
    quiet = play(*(["ann", f"mule{number % 2}", "bot0", "bot1"] for number in range(200)))
    assert count_rated([*crowd(400), *quiet], {}, "ann") < 0.1


def test_bots_of_one_owner_are_one_accomplice():
    random = Random(3)
    owned = {name: SeasonBot(name, "Mallory") for name in CROWD[:8]}
    games = [*crowd(800), *play(*(["ann", CROWD[number % 8], *random.sample(CROWD[8:], 2)] for number in range(200)))]
    assert count_rated(games, {}, "ann") > 190
    assert count_rated(games, owned, "ann") < 0.1


def test_twice_as_many_games_as_are_allowed_count_as_an_eighth():
    """Of 84 games, one in eight is 12 beside 84."""
    random = Random(2)
    alone = [["ann", *random.sample(BIG_CROWD, 3)] for _ in range(84)]
    both = [["ann", "mule", *random.sample(BIG_CROWD, 2)] for _ in range(24)]
    others = [["mule", *random.sample(BIG_CROWD, 3)] for _ in range(168)]
    shares = rated_shares([*play(*both, *alone, *others), *crowd(1_200, BIG_CROWD)], {})
    assert max(shares[:24]) == pytest.approx(1 / 8)


def test_games_with_house_bots_count_in_full():
    house = {name: SeasonBot(name, is_house=True) for name in ("house-a", "house-b", "house-c")}
    alone = play(*[["ann", "house-a", "house-b", "house-c"]] * 100)
    assert count_rated([*crowd(400), *alone], house, "ann") == 100
