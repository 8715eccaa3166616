"""The probability of each end of a sum that is checked at intervals, against simulated walks."""

from itertools import pairwise

import numpy as np
import pytest

from arena.competition.compare.boundary_crossing import BoundaryCrossing

TIMES = (12, 16, 20, 24, 28)
REACHES = (3.4, 3.1, 3.0, 2.9, 2.8)
WALKS = 40_000


def share_above(drift: float, variance: float, place: float) -> float:
    """The share of walks that end above before the last look, or are above this place there."""
    source, above, sums, before = np.random.default_rng(1), 0, np.zeros(WALKS), 0
    for time, reach in zip(TIMES, REACHES, strict=True):
        sums = sums + source.normal(drift * (time - before), np.sqrt(variance * (time - before)), len(sums))
        if time < TIMES[-1]:
            above += int((sums >= reach).sum())
            sums, before = sums[np.abs(sums) < reach], time
    return (above + int((sums > place).sum())) / WALKS


@pytest.mark.parametrize("drift", [-0.1, 0.0, 0.05, 0.2])
@pytest.mark.parametrize("place", [-1.0, 2.8])
def test_share_of_walks_ending_above_matches(drift, place):
    looks = BoundaryCrossing(TIMES, REACHES[:-1], 0.25)

    assert looks.probability_above(drift, place) == pytest.approx(share_above(drift, 0.25, place), abs=0.01)


def test_single_look_is_a_normal_probability():
    """12 steps of variance 0.25 and drift 0.1: mean 1.2, standard deviation 1.732; 2.932 is one of them above."""
    assert BoundaryCrossing((12,), (), 0.25).probability_above(0.1, 1.2 + 3**0.5) == pytest.approx(0.158655, abs=1e-5)


def test_more_upward_drift_ends_above_more_often():
    looks = BoundaryCrossing(TIMES, REACHES[:-1], 0.25)

    chances = [looks.probability_above(drift, 0.0) for drift in np.linspace(-1, 1, 21)]

    assert all(one <= other for one, other in pairwise(chances))
    assert chances[0] < 1e-6
    assert chances[-1] > 1 - 1e-6
