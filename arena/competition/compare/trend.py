"""Looks for a trend: whether the candidate gets better or worse, compared with the baseline, from block to block.

A bot that learns has a trend. The verdict is then about the mean of the games that were played, and later games may
differ. The trend is the slope of the scores against the number of their blocks (ordinary least squares). Its standard
error is widened as `arena/competition/compare/dependence.py` says, because scores that resemble the ones before them
wander.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Final

from arena.competition.compare.dependence import MIN_JUDGED_BLOCKS, measure_autocorrelation, variance_factor
from arena.competition.compare.plain_estimate import student_quantile

TREND_ERROR: Final = 0.01
"""The share of comparisons without a trend in which one is found."""
_EQUAL: Final = 1e-9
"""Scores that differ by less are equal. Their slope is a rounding error."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A trend that is larger than chance explains."""

    first_half: float
    """Mean score of the first half of the blocks, in places a game."""
    second_half: float
    """Mean score of the second half of the blocks, in places a game."""

    @property
    def is_upward(self) -> bool:
        """Return whether the candidate gets better, compared with the baseline."""
        return self.second_half > self.first_half


def find_trend(scores: Sequence[float]) -> Trend | None:
    """Return the trend of scores in the order of their blocks; None if they have none that chance does not explain.

    >>> find_trend([0, 2, 1, 3, 2, 4, 3, 5, 4, 6, 5, 7])
    Trend(first_half=2.0, second_half=5.0)
    """
    count = len(scores)
    if count < MIN_JUDGED_BLOCKS or max(scores) - min(scores) < _EQUAL:
        return None
    mean, middle = fmean(scores), (count - 1) / 2
    spread = sum((index - middle) ** 2 for index in range(count))
    slope = sum((index - middle) * score for index, score in enumerate(scores)) / spread
    left = [score - mean - slope * (index - middle) for index, score in enumerate(scores)]
    variance = sum(each * each for each in left) / (count - 2)
    error = sqrt(variance * variance_factor(count, measure_autocorrelation(left)) / spread)
    half = count // 2
    trend = Trend(fmean(scores[:half]), fmean(scores[-half:]))
    is_clear = abs(slope) > student_quantile(1 - TREND_ERROR / 2, count - 2) * error
    return trend if is_clear and trend.is_upward == (slope > 0) else None
