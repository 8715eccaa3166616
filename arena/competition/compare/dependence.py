"""Widens the variance if consecutive blocks resemble each other.

The sequential test needs independent blocks. A bot that learns, a bot whose play depends on the time of day, or a
machine whose speed changes makes a block resemble the one before it. Then a mean of n scores varies more than
variance / n says. If each score depends on the one before it with autocorrelation r (an AR(1) process), it varies by
the factor (1 + r) / (1 - r) more.

The measured autocorrelation of n independent scores has a standard error of about 1 / sqrt(n), and it is too low by
(1 + 4 r) / n (F. H. C. Marriott and J. A. Pope, Biometrika 41, 1954), which is added. The result counts as follows:

* Up to three quarters of a standard error, the blocks count as independent. Most independent blocks end here, so they
  cost few games.
* Above that, the upper end of its error counts: the autocorrelation plus one standard error. If the measured value
  counted, a test would stop whenever that value happens to be low.

With 1,000 comparisons of each kind (margin 0.2, errors of 5 %, as in `make compare-statistics`) this was measured:

    blocks              mode        all taken for independent       with this rule
                                    wrong yes  wrong no  games      wrong yes  wrong no  games
    independent         better         3.7 %     3.7 %    660          3.4 %     3.3 %     715
                        not-worse      3.9 %     4.4 %    659          2.8 %     3.8 %     726
    autocorrelation     better        15.7 %    13.2 %    549          4.8 %     4.0 %   1,236
    of 0.3              not-worse     16.1 %    13.9 %    545          5.3 %     4.3 %   1,260

"games" is the mean number in the row's case of a wrong yes. A whole standard error in the first rule saves 2.5 % of the
games with independent blocks, but then mode `same` errs at 0.3 in 0.8 % more of its comparisons. A rule that always
counts the measured autocorrelation without its bias costs more games than either.
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from math import sqrt
from typing import Final

MIN_JUDGED_BLOCKS: Final = 12
"""Fewer blocks say nothing about dependence. The sequential test looks from this number of blocks on."""
_LIKELY_ERRORS: Final = 0.75
"""From this many standard errors on, dependence is likely."""
_ADDED_ERRORS: Final = 1.0
"""This many standard errors are then added to the autocorrelation."""
_FOUND_ERRORS: Final = 2.0
"""From this many standard errors on, dependence counts as found."""
_MOST_COUNTED: Final = 0.9
"""The highest autocorrelation that counts. Its factor is 19."""


class Dependence(StrEnum):
    """Whether consecutive blocks resemble each other."""

    NONE = "none"
    """The blocks count as independent."""
    LIKELY = "likely"
    """The blocks resemble each other more than most independent blocks do; one in four independent ones would too."""
    FOUND = "found"
    """The blocks resemble each other more than independent blocks do; one in forty independent ones would too."""


def measure_autocorrelation(scores: Sequence[float]) -> float:
    """Return the correlation of each score with the one before it, -1 to 1; 0 if all scores are equal.

    >>> measure_autocorrelation([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    0.5
    """
    mean = sum(scores) / len(scores)
    left = [score - mean for score in scores]
    squares = sum(each * each for each in left)
    return sum(one * other for one, other in pairwise(left)) / squares if squares else 0.0


def judge_dependence(count: int, autocorrelation: float) -> Dependence:
    """Return whether `count` blocks with this measured autocorrelation depend on each other."""
    errors = _remove_bias(count, autocorrelation) * sqrt(count)
    if count < MIN_JUDGED_BLOCKS or errors <= _LIKELY_ERRORS:
        return Dependence.NONE
    return Dependence.FOUND if errors > _FOUND_ERRORS else Dependence.LIKELY


def variance_factor(count: int, autocorrelation: float) -> float:
    """Return by which factor the mean of `count` blocks varies more than that of independent ones; 1 or more.

    >>> variance_factor(100, 0.05), round(variance_factor(100, 0.276), 2)
    (1.0, 2.32)
    """
    if judge_dependence(count, autocorrelation) is Dependence.NONE:
        return 1.0
    counted = min(_MOST_COUNTED, _remove_bias(count, autocorrelation) + _ADDED_ERRORS / sqrt(count))
    return (1 + counted) / (1 - counted)


def _remove_bias(count: int, autocorrelation: float) -> float:
    """Return the autocorrelation without the bias of few scores."""
    return autocorrelation + (1 + 4 * autocorrelation) / count
