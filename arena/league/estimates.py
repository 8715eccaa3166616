"""Figures of entrants with their uncertainty: what was measured, and the same again over blocks weighted by chance.

Only blocks are independent, games of one deal are not: so it is blocks that are weighted. The weights of a draw are
exponential (the Bayesian bootstrap: D. B. Rubin, Annals of Statistics 9, 1981; for likelihoods M. A. Newton and
A. E. Raftery, JRSS B 56, 1994). Drawing whole blocks instead would leave entrants with few games out of many draws.

An interval is the expanded percentile interval (T. C. Hesterberg, What Teachers Should Know about the Bootstrap, The
American Statistician 69, 2015, section 4.3): percentiles of the draws, taken so much further out that they make up for
a bootstrap of few blocks being too narrow. For n blocks the draws of a mean have (n - 1) / (n + 1) of the variance that
they should have (Rubin, section 2), and Student's t stands in place of the normal distribution.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NORMAL = NormalDist()
TAIL = 0.025
"""Of 95 % intervals, on each side."""
STUDENT_OF_FEW = (12.706, 4.303)
"""Student's t at 97.5 % with 1 and 2 degrees of freedom, from any table."""
RULE_OF_THREE = 3
"""What never happened in n tries may happen in 3 of n (B. D. Jovanovic and P. S. Levy, American Statistician 51, 1997)."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a figure lies with 95 % confidence; an end that cannot be told is None."""

    low: float | None
    high: float | None

    def holds(self, value: float) -> bool:
        """Return whether the value may be the true one."""
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """One figure for each of several entrants."""

    values: Floats
    """By entrant; NaN where there is none."""
    draws: Floats = field(repr=False)
    """Draws x entrants: the same figure with other weights."""
    block_counts: Sequence[int]
    """By entrant: in how many blocks it played."""
    bounds: tuple[float, float] = (-inf, inf)
    """What the figure can be at all."""

    def interval(self, index: int) -> Interval:
        """Return the interval of an entrant's figure."""
        return self._interval(self.values[index], self.draws[:, index], self.block_counts[index], self.bounds)

    def difference(self, one: int, other: int) -> Interval:
        """Return the interval of how much more the one has than the other; what luck they share is not in it."""
        count = min(self.block_counts[one], self.block_counts[other])
        low, high = self.bounds
        value, draws = self.values[one] - self.values[other], self.draws[:, one] - self.draws[:, other]
        return self._interval(value, draws, count, (low - high, high - low))

    @staticmethod
    def _interval(value: float, draws: Floats, block_count: int, bounds: tuple[float, float]) -> Interval:
        if block_count < 2 or not np.isfinite(draws).all():
            return Interval(None, None)
        if np.ptp(draws) < 1e-12:
            return _of_constant(value, block_count, bounds)
        tail = tail_of(block_count)
        low, high = np.quantile(draws, (tail, 1 - tail), method="weibull")
        return Interval(float(low), float(high))


def chance_weights(count: int, draw_count: int, seed: bytes) -> Iterator[Floats]:
    """Yield so many weights, 1 in the mean, for one draw after the other; the same seed yields the same."""
    source = np.random.default_rng(np.frombuffer(sha256(b"bootstrap:" + seed).digest(), dtype=np.uint32))
    for _ in range(draw_count):
        weights = source.standard_exponential(count)
        yield weights / weights.mean()


def tail_of(block_count: int) -> float:
    """Return what part of the draws to leave out at each end, for two blocks or more; with many it is `TAIL`."""
    return NORMAL.cdf(-student(block_count - 1) * sqrt((block_count + 1) / (block_count - 1)))


def student(freedom: int) -> float:
    """Return Student's t at 97.5 %, to 1 % (M. Abramowitz and I. A. Stegun, Handbook, 1964, formula 26.7.5).

    >>> round(student(10), 3)  # 2.228 in a table
    2.228
    """
    if freedom <= len(STUDENT_OF_FEW):
        return STUDENT_OF_FEW[freedom - 1]
    x = NORMAL.inv_cdf(1 - TAIL)
    first = (x**3 + x) / 4
    second = (5 * x**5 + 16 * x**3 + 3 * x) / 96
    third = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    return x + first / freedom + second / freedom**2 + third / freedom**3


def _of_constant(value: float, block_count: int, bounds: tuple[float, float]) -> Interval:
    """Return what may be true where all blocks said the same: another end of the bounds in 3 of so many blocks."""
    part = min(1.0, RULE_OF_THREE / block_count)
    low, high = (value + part * (bound - value) for bound in bounds)
    return Interval(None if low == -inf else float(low), None if high == inf else float(high))
