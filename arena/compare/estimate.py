"""How much better the candidate is, after a test that stopped when it had seen enough.

Where one stops as soon as a bound is met, the plain mean is too far from the middle. So ends are ordered: first those
above the upper bound, earlier before later, then where one stood at the last look, then those below the lower bound,
later before earlier (D. Siegmund, Biometrika 65, 1978, section 2; fishtest does the same, `sprt.py`). The estimate is
the effect with which half of all ends are above this one: it is too high as often as too low. With the ends of the
interval one in twenty is above, or below.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt, tanh
from typing import Final

from arena.compare.boundary_crossing import BoundaryCrossing
from arena.compare.sequential import (
    BATCH_BLOCKS,
    MIN_BLOCKS,
    UNCOUNTED_BLOCKS,
    ComparisonMode,
    ComparisonQuestion,
    ScoreSummary,
    SequentialVerdict,
)

COVERAGE: Final = 0.9
"""Of the interval: so its lower end is above `low` just where a test with errors of 5 % says yes."""
_HALF_WIDTH: Final = 1.645
"""Of an interval that covers so much, in standard errors of a mean."""
_FIRST_SEARCH_WIDTH: Final = 4.0
"""Standard errors of a mean from it: one looks there first."""
_BISECTION_STEPS: Final = 40
_FLAT_DRIFT: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Estimate:
    """Places a game by which the candidate is better, with its interval."""

    value: float
    low: float
    high: float


def estimate_effect(evidence: ScoreSummary, question: ComparisonQuestion, verdict: SequentialVerdict) -> Estimate:
    """Estimate the effect after at least one block.

    Where it is asked whether both are the same, this is the plain mean: ends on both sides are alike.
    """
    if question.mode is ComparisonMode.SAME:
        half = _HALF_WIDTH * sqrt(evidence.effective_variance(question) / evidence.count)
        return Estimate(evidence.mean, evidence.mean - half, evidence.mean + half)
    times = [*range(MIN_BLOCKS, evidence.count, BATCH_BLOCKS), evidence.count]
    spare = evidence.count / max(
        1, evidence.count - UNCOUNTED_BLOCKS
    )  # one stops sooner where scores seem to spread little
    sign = -1 if verdict is SequentialVerdict.NO else 1  # seen from below the ends are ordered the same way
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
    """Return after how many blocks in all a verdict is to be expected if the effect is what was seen (Wald, 1945)."""
    variance, drift = evidence.effective_variance(question), question.lead(evidence.mean)
    reach = question.bound * variance / question.margin
    turns = drift * reach / variance
    return reach**2 / variance if abs(turns) < _FLAT_DRIFT else reach * tanh(turns) / drift


def _find_level(rising: Callable[[float], float], level: float, start: float, near: float, most: float) -> float:
    """Find where a function that rises has this level, about `start` and no farther than `most`: surrounded, halved."""
    low = high = max(-most, min(most, start))
    while low > -most and rising(low) > level:
        low, near = max(-most, low - near), 2 * near
    while high < most and rising(high) < level:
        high, near = min(most, high + near), 2 * near
    for _ in range(_BISECTION_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > level else (middle, high)
    return (low + high) / 2
