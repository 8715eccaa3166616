"""Estimates the effect from the plain mean of the scores, if no sequential test could have stopped the comparison.

A few blocks do not show the variance well. So the interval uses Student's t distribution, as for the mean of normal
scores of unknown variance.
"""

from functools import lru_cache
from math import cos, exp, lgamma, pi, sqrt, tan
from typing import Final

from arena.competition.compare.estimate import COVERAGE, Estimate
from arena.competition.compare.sequential import ComparisonQuestion, ScoreSummary

MIN_PLAIN_BLOCKS: Final = 2
"""One score says nothing about the variance."""
_STEPS: Final = 400
"""Steps of the numerical integral; an even number, as Simpson's rule requires."""
_BISECTION_STEPS: Final = 50


def estimate_plainly(evidence: ScoreSummary, question: ComparisonQuestion) -> Estimate | None:
    """Return the plain mean with its interval, in places a game; None with fewer than `MIN_PLAIN_BLOCKS` blocks.

    As in the sequential test, a small variance counts as a larger one, and any variance as more if the blocks
    depend on each other.
    """
    if evidence.count < MIN_PLAIN_BLOCKS:
        return None
    unbiased = evidence.variance * evidence.count / (evidence.count - 1)
    error = sqrt(max(unbiased, evidence.assumed_variance(question)) * evidence.variance_factor / evidence.count)
    half, most = student_quantile((1 + COVERAGE) / 2, evidence.count - 1) * error, question.seats - 1
    return Estimate(evidence.mean, max(-most, evidence.mean - half), min(most, evidence.mean + half))


@lru_cache(1024)
def student_quantile(level: float, freedom: int) -> float:
    """Return the value below which a variable with a t distribution lies with probability `level`, which is over 0.5.

    `freedom` is the number of degrees of freedom, at least 1.

    >>> round(student_quantile(0.95, 1), 3), round(student_quantile(0.95, 7), 3)
    (6.314, 1.895)
    """
    # With value = sqrt(freedom) * tan(angle), the density of the angle is proportional to cos(angle) ** (freedom - 1).
    low, high = 0.0, pi / 2
    for _ in range(_BISECTION_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _probability_below(middle, freedom) < level else (low, middle)
    return sqrt(freedom) * tan(low)


def _probability_below(angle: float, freedom: int) -> float:
    """Return the probability of all angles below this one, which is at least 0. Uses Simpson's rule."""
    step = angle / _STEPS
    heights = [cos(index * step) ** (freedom - 1) for index in range(_STEPS + 1)]
    area = step / 3 * (heights[0] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2]) + heights[-1])
    return 0.5 + area * exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(pi)
