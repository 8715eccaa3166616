"""Live ratings move with each game, and a new version starts where the last one was."""

from random import Random

import pytest

from arena.competition.pools.live_ratings import FIRST_RATING, FIRST_SPREAD, LiveRatings
from arena.competition.pools.ports import PlayedGame, RatingRow
from arena.competition.pools.season_ratings import fit_season
from arena.match.referee.ports import MatchId
from tools.studies.pool_week import SEAT_TERMS, draw_places


def game(number: int, seats: list[str], places: tuple[int, ...]) -> PlayedGame:
    return PlayedGame(MatchId(f"{number:026d}"), 0, tuple((bot, "") for bot in seats), places)


def draw_games(strengths: dict[str, float], count: int, seed: int) -> list[PlayedGame]:
    random = Random(seed)
    games = []
    for number in range(count):
        seats = random.sample(sorted(strengths), len(SEAT_TERMS))
        games.append(game(number, seats, draw_places([strengths[bot] for bot in seats], random)))
    return games


def test_unknown_bot_has_the_mean_rating_and_a_wide_spread():
    estimate = LiveRatings(4).estimate("new", "")
    assert (estimate.rating, estimate.spread, estimate.games) == (FIRST_RATING, FIRST_SPREAD, 0)


def test_winner_gains_and_loser_loses_and_both_become_more_certain():
    ratings = LiveRatings(3)
    ratings.add_game([("a", ""), ("b", ""), ("c", "")], [1, 2, 3])
    a, b, c = (ratings.estimate(bot, "") for bot in "abc")
    assert a.rating > b.rating > c.rating
    assert max(a.spread, b.spread, c.spread) < FIRST_SPREAD
    assert a.games == 1


def test_tie_moves_equal_bots_nowhere():
    ratings = LiveRatings(2)
    ratings.add_game([("a", ""), ("b", "")], [1, 1])
    assert ratings.estimate("a", "").rating == pytest.approx(FIRST_RATING)


def test_new_version_starts_where_the_last_one_was_and_cannot_leave_a_rating_behind():
    ratings = LiveRatings(2)
    for _ in range(30):
        ratings.add_game([("a", "1"), ("b", "1")], [2, 1])
    old, new = ratings.estimate("a", "1"), ratings.estimate("a", "2")
    assert old.rating < FIRST_RATING - 50
    assert new.rating == old.rating
    assert old.spread < new.spread < FIRST_SPREAD
    assert new.games == 0


def test_live_ratings_agree_with_the_fit_of_the_same_games():
    strengths = {f"bot{number}": 40.0 * number for number in range(10)}
    games = draw_games(strengths, 3_000, seed=5)
    live = LiveRatings(4)
    live.start_from([], games)
    fit = fit_season("p", 1, games, {}, bots={}, fitted_at=1.0, upto=0, unended=())
    mean = sum(live.estimate(bot, "").rating for bot in strengths) / len(strengths)
    for row in fit.ratings:
        assert live.estimate(row.bot, "").rating - mean == pytest.approx(row.rating - 1500, abs=40)


def test_start_from_a_fit_adds_only_the_games_that_it_does_not_count():
    row = RatingRow("a", "1", 1600.0, 25.0, 80, MatchId("1"))
    live = LiveRatings(2)
    live.start_from([row], [])
    assert live.estimate("a", "1").rating == 1600.0
    live.start_from([row], [game(2, ["a", "b"], (1, 2))])
    assert live.estimate("a", "1").rating == 1600.0, "that game was of another version"
    assert live.newest_version("a") == ""
