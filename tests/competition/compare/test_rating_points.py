"""A difference in places a game as rating points and odds."""

from math import exp, log, log10

import pytest

from arena.competition.compare.estimate import Estimate
from arena.competition.compare.rating_points import estimate_points, margin_points, odds_of, rating_points
from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion


def test_points_by_hand():
    """0.3 places of 3 opponents are a tenth: from 50 % to 60 %, which is odds of 1.5 to 1."""
    assert rating_points(0.3, 4) == pytest.approx(400 * log10(1.5))


@pytest.mark.parametrize("seats", [2, 4, 6])
@pytest.mark.parametrize("strength", [-1.0, 0.1, 0.5])
def test_points_are_those_of_the_leagues_model(seats, strength):
    """Among equal opponents a program beats each with probability 1 / (1 + exp(-strength)): Plackett and Luce."""
    places = (seats - 1) * (1 / (1 + exp(-strength)) - 0.5)

    assert rating_points(places, seats) == pytest.approx(strength * 400 / log(10))


def test_same_places_are_worth_more_for_a_baseline_that_beats_nearly_all():
    assert rating_points(0.1, 4, 0.9) > 2 * rating_points(0.1, 4)
    assert rating_points(-0.1, 4, 0.1) < 2 * rating_points(-0.1, 4)


def test_interval_that_leaves_the_possible_shares_stays_finite():
    """More than all opponents cannot be beaten: 99.5 % are the most that counts."""
    points = estimate_points(Estimate(0.5, -3.0, 3.0), 4, 0.9)

    assert points.high == pytest.approx(400 * log10(0.995 / 0.005 / 9))
    assert points.low == pytest.approx(-400 * log10(0.995 / 0.005 * 9))


def test_odds_are_those_of_the_points():
    odds = odds_of(Estimate(400.0, -400.0, 800.0))

    assert (odds.value, odds.low, odds.high) == pytest.approx((10, 0.1, 100))


def test_margin_counts_on_its_side_of_no_effect():
    """Above a share of 90 %, the odds grow faster for 0.2 places more than they fall for 0.2 places less."""
    better, not_worse = (ComparisonQuestion(mode) for mode in (ComparisonMode.BETTER, ComparisonMode.NOT_WORSE))

    assert margin_points(better, 0.9) > margin_points(not_worse, 0.9) > 0
    assert margin_points(better) == pytest.approx(margin_points(not_worse))
