"""Before they have played much, entrants are rated like the rest, the more so the less the games tell them apart."""

from dataclasses import replace

import numpy as np
import pytest

from arena.competition.league.elo_scale import MEAN_RATING
from arena.competition.league.estimates import bootstrap_weights
from arena.competition.league.model import BlockResult
from arena.competition.league.rating import Rating, Ratings, compute_ratings
from tests.competition.league.leagues import block, play_league


def play(theta: list[float], blocks: int) -> list[BlockResult]:
    return play_league(np.random.default_rng(1), theta, blocks, tables=1)


def rate(results: list[BlockResult], *, later: str = "") -> Ratings:
    """Rate with a prior for all but one."""
    alike = {name for result in results for name in result.block.names} - {later}
    return compute_ratings(results, seed=b"seed", draw_count=30, drawn_alike=alike)


def row(ratings: Ratings, name: str) -> Rating:
    return next(row for row in ratings.rows if row.name == name)


def width(ratings: Ratings, name: str) -> float:
    interval = row(ratings, name).interval
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low


def distance(ratings: Ratings) -> float:
    """Return how far ratings are from their mean."""
    return float(np.std([row.rating for row in ratings.rows]))


def test_few_games_move_a_rating_less_than_many():
    theta = [0.8, 0.4, 0.0, -0.4, -0.8]
    plain = [distance(compute_ratings(play(theta, count), seed=b"seed", draw_count=2)) for count in (6, 600)]
    known = [distance(rate(play(theta, count))) for count in (6, 600)]
    assert known[0] < 0.6 * plain[0]
    assert known[1] == pytest.approx(plain[1], rel=0.03)


def test_equal_entrants_are_drawn_together_and_different_ones_hardly():
    results = [play([spread * each for each in range(-10, 11)], 100) for spread in (0.01, 0.2)]
    pulls = [distance(rate(each)) / distance(compute_ratings(each, seed=b"", draw_count=2)) for each in results]
    assert pulls[0] < 0.8
    assert pulls[1] > 0.85


def test_two_wins_of_a_newcomer_are_luck_as_far_as_the_others_are_alike():
    season = play([0.4, 0.2, 0.0, -0.2, -0.4], 300)
    wins = block(301, "new 1 | bot0 2 | bot1 3 | bot2 4"), block(302, "bot0 4 | new 1 | bot1 2 | bot2 3")
    plain = compute_ratings([*season, *wins], seed=b"seed", draw_count=2)
    assert MEAN_RATING < row(rate([*season, *wins]), "new").rating < (MEAN_RATING + row(plain, "new").rating) / 2


def test_entrant_that_is_not_alike_has_no_made_up_games():
    """Only the games that link it to the weakest hold it."""
    season = play([1.0, 0.5, 0.0, -0.5, -1.0], 300)
    links = [block(301 + game, "bot4 1 | later 2" if game % 2 else "later 1 | bot4 2") for game in range(8)]
    ratings = rate([*season, *links], later="later")
    assert row(ratings, "later").rating == pytest.approx(row(ratings, "bot4").rating, abs=5)


def test_blocks_that_count_in_part_widen_intervals_and_move_less():
    season = play([0.4, 0.2, 0.0, -0.2, -0.4], 100)
    whole, part = rate(season), rate([replace(result, share=0.25) for result in season])
    assert distance(part) < distance(whole)
    assert sum(width(part, name) for name in whole.names) > 1.5 * sum(width(whole, name) for name in whole.names)


def test_weight_of_several_blocks_varies_like_their_sum():
    shares = np.array([0.25, 1.0, 4.0] * 20)
    drawn = np.array(list(bootstrap_weights(60, 1_000, b"seed", shares)))
    assert drawn.mean(axis=0) == pytest.approx(shares, rel=0.2)
    assert drawn.var(axis=0) == pytest.approx(shares, rel=0.4)
