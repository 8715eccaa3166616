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

from arena.compare.looks import Looks
from arena.compare.sequential import BATCH, LEAST_BLOCKS, UNCOUNTED, Evidence, Mode, Question, Verdict

COVERED: Final = 0.9
"""Of the interval: so its lower end is above `low` just where a test with errors of 5 % says yes."""
_HALF: Final = 1.645
"""Of an interval that covers so much, in standard errors of a mean."""
_NEAR: Final = 4.0
"""Standard errors of a mean from it: one looks there first."""
_HALVINGS: Final = 40
_FLAT: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Estimate:
    """Places a game by which the candidate is better, with its interval."""

    value: float
    low: float
    high: float


def estimated(evidence: Evidence, question: Question, verdict: Verdict) -> Estimate:
    """Estimate the effect after at least one block.

    Where it is asked whether both are the same, this is the plain mean: ends on both sides are alike.
    """
    if question.mode is Mode.SAME:
        half = _HALF * sqrt(evidence.reckoned(question) / evidence.count)
        return Estimate(evidence.mean, evidence.mean - half, evidence.mean + half)
    times = [*range(LEAST_BLOCKS, evidence.count, BATCH), evidence.count]
    spare = evidence.count / max(1, evidence.count - UNCOUNTED)  # one stops sooner where scores seem to spread little
    sign = -1 if verdict is Verdict.NO else 1  # seen from below the ends are ordered the same way
    drift, variance = evidence.mean - question.middle, spare * evidence.reckoned(question)
    looks = Looks(times, [evidence.reach(question, time) for time in times[:-1]], variance, sign * drift)
    stood = evidence.count * drift
    near = _NEAR * sqrt(variance / evidence.count)

    def above(effect: float) -> float:
        chance = looks.above(sign * (effect - question.middle), sign * stood)
        return chance if sign > 0 else 1 - chance

    tail = (1 - COVERED) / 2
    low, value, high = (_where(above, part, evidence.mean, near, question.seats - 1) for part in (tail, 0.5, 1 - tail))
    return Estimate(value, low, high)


def expected_blocks(evidence: Evidence, question: Question) -> float:
    """Return after how many blocks in all a verdict is to be expected if the effect is what was seen (Wald, 1945)."""
    variance, drift = evidence.reckoned(question), question.lead(evidence.mean)
    reach = question.bound * variance / question.margin
    turns = drift * reach / variance
    return reach**2 / variance if abs(turns) < _FLAT else reach * tanh(turns) / drift


def _where(rising: Callable[[float], float], level: float, start: float, near: float, most: float) -> float:
    """Find where a function that rises has this level, about `start` and no farther than `most`: surrounded, halved."""
    low = high = max(-most, min(most, start))
    while low > -most and rising(low) > level:
        low, near = max(-most, low - near), 2 * near
    while high < most and rising(high) < level:
        high, near = min(most, high + near), 2 * near
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > level else (middle, high)
    return (low + high) / 2
