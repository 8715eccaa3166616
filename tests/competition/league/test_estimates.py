import numpy as np
import pytest

from arena.competition.league.estimates import Estimates, bootstrap_weights, student_t_quantile


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980), (100_000, 1.960)],
)
def test_students_t_matches_the_tables(freedom, quantile):
    """NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2, column 0.975."""
    assert student_t_quantile(freedom) == pytest.approx(quantile, rel=0.01)


def means(*columns, bounds=(0.0, 1.0)):
    """Return the means of columns of scores, by block."""
    scores = np.array(columns, dtype=float).T
    weights = np.array(list(bootstrap_weights(len(scores), 20_000, b"seed")))
    return Estimates(scores.mean(axis=0), weights @ scores / len(scores), [len(scores)] * len(columns), bounds)


def test_interval_of_a_mean_is_students():
    """1, 1, 2, 3 and 1 thirds by hand: mean 0.5333, s = 0.2981, and t(4) = 2.776 in a table."""
    interval = means([1 / 3, 1 / 3, 2 / 3, 1, 1 / 3]).interval(0)

    reach = 2.776 * 0.2981 / 5**0.5
    assert interval.high - interval.low == pytest.approx(2 * reach, rel=0.02)
    assert (interval.high + interval.low) / 2 == pytest.approx(0.5333, abs=1e-4)


def test_intervals_stay_within_possible_values():
    interval = means([0, 1, 1]).interval(0)

    assert (interval.low, interval.high) == (0, 1)


def test_one_block_proves_nothing():
    interval = means([1]).interval(0)

    assert (interval.low, interval.high) == (0, 1)


def test_constant_scores_do_not_prove_that_they_stay_constant():
    """The rule of three: an event that did not occur in 30 blocks may occur in 3 of 30."""
    interval = means([1] * 30).interval(0)

    assert (interval.low, interval.high) == pytest.approx((0.9, 1))


def test_shared_randomness_cancels_in_a_difference():
    """Both rise and fall together, one a little above: their intervals overlap, and yet they are separable."""
    luck = np.linspace(0, 0.8, 20)
    wobble = 0.01 * np.array([1, -1] * 10)

    estimates = means(luck + 0.1 + wobble, luck)

    assert estimates.interval(0).low < estimates.interval(1).high
    assert estimates.are_separable(0, 1)


def test_equal_means_are_not_separable():
    assert not means([0, 1] * 10, [1, 0] * 10).are_separable(0, 1)


def test_weights_follow_from_the_seed_and_average_one():
    first, again, other = (list(bootstrap_weights(50, 3, seed)) for seed in (b"one", b"one", b"two"))

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert [weights.mean() for weights in first] == pytest.approx([1, 1, 1])
