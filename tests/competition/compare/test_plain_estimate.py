"""The estimate of a comparison that no sequential test could have stopped."""

import random

import pytest

from arena.competition.compare.plain_estimate import estimate_plainly, student_quantile
from arena.competition.compare.sequential import ComparisonQuestion, ScoreSummary


@pytest.mark.parametrize(
    ("level", "freedom", "value"),
    [(0.95, 1, 6.314), (0.95, 3, 2.353), (0.95, 7, 1.895), (0.975, 10, 2.228), (0.95, 30, 1.697), (0.95, 5000, 1.645)],
)
def test_quantiles_are_those_of_the_printed_tables(level, freedom, value):
    assert student_quantile(level, freedom) == pytest.approx(value, abs=0.001)


def test_interval_of_few_scores():
    """Mean 0.2, deviations of 0.4 at 4 scores: 2.353 * sqrt(0.16 * 4 / 3 / 4)."""
    estimate = estimate_plainly(ScoreSummary.from_scores([0.6, -0.2, 0.6, -0.2]), ComparisonQuestion())

    assert estimate is not None
    assert estimate.value == pytest.approx(0.2)
    assert estimate.high - estimate.value == pytest.approx(0.5434, abs=0.001)
    assert estimate.value - estimate.low == pytest.approx(0.5434, abs=0.001)


def test_one_block_has_no_interval():
    assert estimate_plainly(ScoreSummary.from_scores([0.5]), ComparisonQuestion()) is None


def test_equal_scores_do_not_prove_that_later_ones_are_equal():
    estimate = estimate_plainly(ScoreSummary.from_scores([0.0] * 4), ComparisonQuestion())

    assert estimate is not None
    assert estimate.high > 0.3


def test_interval_ends_at_the_possible_scores():
    estimate = estimate_plainly(ScoreSummary.from_scores([1.0, -1.0]), ComparisonQuestion(seats=2))

    assert estimate is not None
    assert (estimate.low, estimate.high) == (-1.0, 1.0)


@pytest.mark.parametrize("count", [2, 4, 12])
def test_interval_has_its_coverage(count):
    """90 % of the intervals contain the true mean, however few the scores; 1.96 errors of 2000 trials are 1.3 %."""
    source, question = random.Random(count), ComparisonQuestion(margin=0.0001, seats=10)
    estimates = [
        estimate_plainly(ScoreSummary.from_scores([source.gauss(0.3, 0.7) for _ in range(count)]), question)
        for _ in range(2000)
    ]

    hits = sum(each is not None and each.low <= 0.3 <= each.high for each in estimates)
    assert hits / 2000 == pytest.approx(0.9, abs=0.03)
