"""The ratings of a season are the league's fit over its games, with the versions of a bot told apart and linked."""

from random import Random

import pytest

from arena.competition.league.estimates import Interval
from arena.competition.pools.live_ratings import Program
from arena.competition.pools.ports import FitRow, PlayedGame
from arena.competition.pools.season_ratings import count_meetings, fit_season
from arena.competition.pools.season_results import SeasonResults
from arena.match.referee.ports import MatchId
from tests.competition.pools.test_live_ratings import draw_games, game
from tools.studies.pool_week import draw_places


def fit(games: list[PlayedGame]) -> FitRow:
    return fit_season("p", 1, games, {}, bots={}, fitted_at=1.0, upto=0, unended=())


def versioned(number: int, seats: list[Program], strengths: dict[Program, float], random: Random) -> PlayedGame:
    places = draw_places([strengths[program] for program in seats], random)
    return PlayedGame(MatchId(f"{number:026d}"), 0, tuple(seats), places)


def test_no_games_no_ratings():
    assert fit([]).ratings == ()


def test_version_whose_name_says_that_there_is_none_is_told_apart():
    """A bot chooses the names of its versions. It could otherwise take an earlier rating out of the standings."""
    games = [
        PlayedGame(MatchId(f"{number:026d}"), 0, (("ada", version), ("bo", "")), (1 + number % 2, 2 - number % 2))
        for number, version in enumerate(version for version in ("", "no version", "2") for _ in range(10))
    ]
    rows = {(row.bot, row.version): row.games for row in fit(games).ratings}
    assert rows == {("ada", ""): 10, ("ada", "no version"): 10, ("ada", "2"): 10, ("bo", ""): 30}


def test_same_games_give_the_same_ratings():
    games = draw_games({f"b{number}": 30.0 * number for number in range(6)}, 200, seed=1)
    assert fit(games) == fit(list(games))


def test_ratings_find_the_order_of_strengths_and_their_intervals_hold_them():
    strengths = {f"b{number}": 100.0 * number for number in range(6)}
    rows = {row.bot: row for row in fit(draw_games(strengths, 2_000, seed=2)).ratings}
    assert sorted(rows, key=lambda bot: rows[bot].rating) == sorted(strengths)
    mean = sum(strengths.values()) / 6
    held = [Interval(row.low, row.high).contains(1500 + strengths[bot] - mean) for bot, row in rows.items()]
    assert sum(held) >= 5


def test_versions_have_ratings_of_their_own_under_one_bot():
    random = Random(3)
    strengths = {("a", "1"): -150.0, ("a", "2"): 150.0, ("b", ""): 0.0, ("c", ""): 0.0, ("d", ""): 0.0}
    others = [("b", ""), ("c", ""), ("d", "")]
    games = [
        versioned(number, random.sample([("a", "1" if number < 400 else "2"), *others], 4), strengths, random)
        for number in range(800)
    ]
    rows = {(row.bot, row.version): row for row in fit(games).ratings}
    assert rows["a", "2"].rating - rows["a", "1"].rating == pytest.approx(300, abs=90)
    assert rows["a", "1"].games == rows["a", "2"].games == 400


def test_new_version_of_a_weak_bot_does_not_start_afresh():
    random = Random(4)
    strengths = {("a", "1"): -250.0, ("a", "2"): -250.0, ("b", ""): 0.0, ("c", ""): 0.0, ("d", ""): 0.0}
    others = [("b", ""), ("c", ""), ("d", "")]
    games = [versioned(number, random.sample([("a", "1"), *others], 4), strengths, random) for number in range(300)]
    won = PlayedGame(MatchId(f"{300:026d}"), 0, (("a", "2"), *others), (1, 2, 3, 4))
    rows = {(row.bot, row.version): row for row in fit([*games, won]).ratings}
    assert rows["a", "2"].rating < 1500, "one lucky game does not launder a rating"
    assert rows["a", "2"].spread > 2 * rows["a", "1"].spread


def test_newest_version_bears_the_name_of_the_bot():
    first = PlayedGame(MatchId("1"), 0, (("a", "1"), ("b", "")), (1, 2))
    second = PlayedGame(MatchId("2"), 0, (("a", "2"), ("b", "")), (1, 2))
    results = SeasonResults.from_games([first, second], {})
    assert results.programs == {"a (1)": ("a", "1"), "b": ("b", ""), "a": ("a", "2")}
    assert [block.block.label for block in results.blocks] == ["", *["versions"] * 8, ""]
    assert len(results.played) == 2


def test_games_of_a_match_are_one_block():
    one, two = game(1, ["a", "b"], (1, 2)), PlayedGame(MatchId(f"{1:026d}"), 1, (("b", ""), ("a", "")), (2, 1))
    results = SeasonResults.from_games([one, two], {})
    assert [len(block.tables) for block in results.played] == [2]


def test_meetings_count_both_ways_and_ties_by_half():
    rows = {(row.bot, row.other): row for row in count_meetings([game(1, ["a", "b", "c"], (1, 2, 2))])}
    assert (rows["a", "b"].games, rows["a", "b"].points, rows["b", "a"].points) == (1, 1.0, 0.0)
    assert rows["b", "c"].points == rows["c", "b"].points == 0.5
