"""What a comparison says if its budget ends before the test decides.

An undecided comparison has an interval for the true difference. Only an interval that lies wholly on one side of the
margin says something:

* If it lies wholly beyond the margin, on the wrong side, the answer is no. So a candidate gains nothing by playing so
  slowly that the test never looks at its scores.
* If it lies wholly inside the margin, the comparison passes with `--on-undecided pass`.

"Beyond" depends on the mode: for `better`, differences of 0 and less; for `not-worse`, differences of minus the margin
and less; for `same`, differences of the margin and more in either direction. If the error is below 5 %, the interval
counts as wide as an interval that misses with this error on each side.

A program can choose the moment at which a budget in time ends: it answers slowly from the moment on at which its scores
look good. The interval does not allow for that. So with a budget in time, the interval has to lie inside the margin
even if it is `CHOSEN_END_WIDTH` times as wide. This was measured with candidates that are worse by the margin (0.2) and
stop the comparison after the batch that suits them best, from the first one on (2,000 comparisons, mode `not-worse`,
`make compare-statistics`). This share of them passes, by the test or by the interval:

    factor                                   1.4    1.6    1.8    2      2.5    the test alone
    programs that are quite different        6.7 %  5.8 %  5.3 %  5.0 %  4.7 %  4.7 %
    programs that are nearly alike           2.2 %  2.1 %  1.9 %  1.9 %  1.9 %  1.9 %
    programs that differ in rare blocks      5.1 %  5.1 %  5.1 %  5.1 %  5.1 %  5.1 %
"""

from enum import StrEnum
from statistics import NormalDist
from typing import Final

from arena.competition.compare.estimate import HALF_WIDTH, Estimate
from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion

CHOSEN_END_WIDTH: Final = 2.0
"""How much wider the interval counts if the candidate may have chosen the moment at which the comparison ended. It is
the least measured factor with which no more than 5 % of worse candidates pass, or no more than pass the test alone."""


class IntervalPlace(StrEnum):
    """Where an interval lies."""

    INSIDE = "inside"
    """The whole interval is inside the margin."""
    ACROSS = "across"
    """The interval holds differences inside and beyond the margin."""
    BEYOND = "beyond"
    """The whole interval is beyond the margin, on the wrong side."""


def place_interval(estimate: Estimate, question: ComparisonQuestion, width: float = 1.0) -> IntervalPlace:
    """Return where the interval lies. `width` scales its distances from the estimate; 1 or more.

    >>> place_interval(Estimate(-0.9, -1.4, -0.3), ComparisonQuestion(ComparisonMode.NOT_WORSE)).value
    'beyond'
    """
    width *= max(1.0, NormalDist().inv_cdf(1 - question.own_error) / HALF_WIDTH)
    low = estimate.value - width * (estimate.value - estimate.low)
    high = estimate.value + width * (estimate.high - estimate.value)
    if question.mode is ComparisonMode.SAME:
        margin = question.margin
        is_inside, is_beyond = -margin < low and high < margin, high <= -margin or low >= margin
    else:
        is_inside, is_beyond = low > question.low, high <= question.low
    return IntervalPlace.INSIDE if is_inside else IntervalPlace.BEYOND if is_beyond else IntervalPlace.ACROSS


def may_pass(estimate: Estimate | None, question: ComparisonQuestion, *, is_end_chosen: bool) -> bool:
    """Return whether an undecided comparison may pass; never without an interval.

    `is_end_chosen` says whether the candidate can choose when the comparison ends, as with a budget in time.
    """
    if estimate is None:
        return False
    width = CHOSEN_END_WIDTH if is_end_chosen else 1.0
    return place_interval(estimate, question, width) is IntervalPlace.INSIDE
