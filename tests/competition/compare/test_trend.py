"""A candidate that gets better or worse from block to block."""

import random

import pytest

from arena.competition.compare.trend import Trend, find_trend


def noise(count: int, seed: int, correlation: float = 0.0) -> list[float]:
    source, scores = random.Random(seed), [0.0]
    for _ in range(count):
        scores.append(correlation * scores[-1] + source.gauss(0, 0.7))
    return scores[1:]


@pytest.mark.parametrize("sign", [1, -1])
def test_learning_candidate_has_a_trend_in_the_halves(sign):
    """From 0 to 2 places a game, or down: the halves have 0.5 and 1.5, with an error of 0.14 each."""
    scores = [score + sign * index / 25 for index, score in enumerate(noise(50, 3))]

    trend = find_trend(scores)

    assert trend is not None
    assert trend.is_upward == (sign > 0)
    assert (trend.first_half, trend.second_half) == pytest.approx((sign * 0.5, sign * 1.5), abs=0.4)


def test_steady_rise_by_hand():
    """The halves are 0, 2, 1, 3, 2, 4 and 3, 5, 4, 6, 5, 7."""
    assert find_trend([0, 2, 1, 3, 2, 4, 3, 5, 4, 6, 5, 7]) == Trend(2.0, 5.0)


@pytest.mark.parametrize(("correlation", "most"), [(0.0, 11), (0.3, 16)])
def test_scores_without_a_trend_rarely_seem_to_have_one(correlation, most):
    """1 % of 400 comparisons, so up to 9 of them (99 %); some more if blocks depend on each other."""
    found = [find_trend(noise(60, seed, correlation)) for seed in range(400)]

    assert sum(each is not None for each in found) <= most


@pytest.mark.parametrize("scores", [[], [1.0], [0.0, 1.0, 2.0], [0.5] * 40, [2 / 3] * 592])
def test_few_or_equal_scores_have_no_trend(scores):
    assert find_trend(scores) is None
