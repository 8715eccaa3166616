"""Estimates how much better the candidate is, in places a game, after a test that may have stopped early.

If the test stopped at a bound, the plain mean exaggerates the effect. Therefore all possible outcomes are put in an
order, from the highest to the lowest:

1. outcomes above the upper bound, early stops before late ones;
2. outcomes between the bounds, larger sums of the scores before smaller ones;
3. outcomes below the lower bound, late stops before early ones.

D. Siegmund, Biometrika 65, 1978, section 2, defines this order. fishtest uses the same order (`sprt.py`).

The estimate is the value for which this holds: if it were the true effect, a test would come out above the observed
outcome half of the time. The estimate is therefore too high as often as too low. The ends of the interval are defined
in the same way. If the lower end were the true effect, a test would come out above the observed outcome 5 % of the
time. If the upper end were the true effect, it would come out below the observed outcome 5 % of the time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt, tanh
from statistics import NormalDist
from typing import Final

from arena.competition.compare.boundary_crossing import BoundaryCrossing
from arena.competition.compare.sequential import (
    BATCH_BLOCKS,
    MIN_BLOCKS,
    UNCOUNTED_BLOCKS,
    ComparisonMode,
    ComparisonQuestion,
    ScoreSummary,
    SequentialVerdict,
)

COVERAGE: Final = 0.9
"""Coverage of the interval. The interval's lower end is above the question's `low` exactly if a test with errors of 5 %
says yes."""
HALF_WIDTH: Final = NormalDist().inv_cdf((1 + COVERAGE) / 2)
"""Half the width of an interval with this coverage, in standard errors of the mean."""
_FIRST_SEARCH_WIDTH: Final = 4.0
"""How far from the mean the search starts, in standard errors of the mean."""
_BISECTION_STEPS: Final = 20
"""Number of halvings. They narrow the searched range to about 1e-6 of its width."""
_FLAT_DRIFT: Final = 1e-6
"""Limit of |drift * reach / variance| in `expected_blocks`. Below this limit the formula with a drift would divide by
nearly 0, and the formula without a drift is exact enough."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated number of places a game by which the candidate is better, with a confidence interval."""

    value: float
    low: float
    high: float

    @property
    def mirrored(self) -> "Estimate":
        """Return how much better the baseline is."""
        return Estimate(-self.value, -self.high, -self.low)

    def widened_by(self, other: "Estimate") -> "Estimate":
        """Return this estimate with an interval that holds both intervals."""
        return Estimate(self.value, min(self.low, other.low), max(self.high, other.high))


def estimate_effect(evidence: ScoreSummary, question: ComparisonQuestion, verdict: SequentialVerdict) -> Estimate:
    """Return the estimated effect. The evidence must have at least one block.

    In mode `same` the estimate is the plain mean. Outcomes on both sides of 0 lead to the same verdicts there, so they
    have no order from high to low.
    """
    if question.mode is ComparisonMode.SAME:
        half = HALF_WIDTH * sqrt(evidence.effective_variance(question) / evidence.count)
        return Estimate(evidence.mean, evidence.mean - half, evidence.mean + half)
    times = [*range(MIN_BLOCKS, evidence.count, BATCH_BLOCKS), evidence.count]
    # A test stops sooner if the scores happen to vary little, so their true variance is larger than the observed one.
    spare = evidence.count / max(1, evidence.count - UNCOUNTED_BLOCKS)
    # Outcomes below the lower bound, mirrored at 0, have the order of the outcomes above the upper bound.
    sign = -1 if verdict is SequentialVerdict.NO else 1
    drift, variance = evidence.mean - question.middle, spare * evidence.effective_variance(question)
    looks = BoundaryCrossing(
        times, [evidence.stopping_sum(question, time) for time in times[:-1]], variance, sign * drift
    )
    stood = evidence.count * drift
    near = _FIRST_SEARCH_WIDTH * sqrt(variance / evidence.count)

    def above(effect: float) -> float:
        chance = looks.probability_above(sign * (effect - question.middle), sign * stood)
        return chance if sign > 0 else 1 - chance

    tail = (1 - COVERAGE) / 2
    low, value, high = (
        _find_level(above, part, evidence.mean, near, question.seats - 1) for part in (tail, 0.5, 1 - tail)
    )
    return Estimate(value, low, high)


def expected_blocks(evidence: ScoreSummary, question: ComparisonQuestion) -> float:
    """Return the expected total number of blocks before a verdict if the true effect is the observed one (Wald)."""
    variance, drift = evidence.effective_variance(question), question.lead(evidence.mean)
    reach = question.bound * variance / question.margin
    turns = drift * reach / variance
    return reach**2 / variance if abs(turns) < _FLAT_DRIFT else reach * tanh(turns) / drift


def _find_level(rising: Callable[[float], float], level: float, start: float, near: float, most: float) -> float:
    """Return the argument, within ±`most`, for which a rising function takes the value `level`.

    The search begins at `start`, takes steps that grow from `near`, and ends by bisection.
    """
    low = high = max(-most, min(most, start))
    while low > -most and rising(low) > level:
        low, near = max(-most, low - near), 2 * near
    while high < most and rising(high) < level:
        high, near = min(most, high + near), 2 * near
    for _ in range(_BISECTION_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > level else (middle, high)
    return (low + high) / 2
