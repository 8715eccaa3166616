"""Figures of entrants with their uncertainty: the measured value, and draws of the same figure with random weights.

Each draw gives every block a random weight. The weights belong to blocks and not to games, because games of one deal
are not independent. The weights are exponential (the Bayesian bootstrap: D. B. Rubin, Annals of Statistics 9, 1981; for
likelihoods M. A. Newton and A. E. Raftery, JRSS B 56, 1994). If whole blocks were resampled instead, many draws would
contain no game of an entrant with few games.

The half-width of an interval, in standard deviations of the draws:

* for a mean over n blocks: t(n - 1) * sqrt((n + 1) / (n - 1)), with Student's t at 97.5 %. The draws of a mean spread
  too little (Rubin, section 2). The root corrects this, so that the result is Student's interval;
* for a rating: 1.96. With few blocks two errors cancel: draws of few blocks spread too little, and draws of log odds
  spread too much, because log odds stretch shares near 0 and 1. Coverage is therefore right from 5 blocks on. Intervals
  by Student's t would cover 98 % or more. Intervals by percentiles of the draws would cover 84 to 92 %. See
  `make league-statistics`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAWS_PER_BATCH = 32
"""Number of draws computed together. With many blocks, the weights of a batch still take only a few megabytes."""
NORMAL_QUANTILE = 1.959964
"""97.5 % quantile of the normal distribution."""
STUDENT_T_QUANTILES = (12.706, 4.303)
"""Student's t at 97.5 % with 1 and 2 degrees of freedom, as found in any statistical table."""
RULE_OF_THREE = 3
"""An event that never happened in n tries has a rate below 3/n, at 95 % confidence.

B. D. Jovanovic and P. S. Levy, American Statistician 51, 1997.
"""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval. An unknown end is None."""

    low: float | None
    high: float | None

    def contains(self, value: float) -> bool:
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """One figure for each of several entrants."""

    values: Floats
    """The figure of each entrant; NaN if it is unknown."""
    draws: Floats = field(repr=False)
    """Matrix of draws x entrants: the same figure with random weights."""
    block_counts: Sequence[int]
    """Number of blocks in which each entrant played."""
    bounds: tuple[float, float] | None = None
    """The lowest and highest possible mean; None if the figures are not means."""

    def interval(self, index: int) -> Interval:
        return _interval(float(self.values[index]), self.draws[:, index], self.block_counts[index], self.bounds)

    def difference_interval(self, one: int, other: int) -> Interval:
        """Return the interval of the difference one - other. Luck that both shared cancels out."""
        value, draws = float(self.values[one] - self.values[other]), self.draws[:, one] - self.draws[:, other]
        bounds = (self.bounds[0] - self.bounds[1], self.bounds[1] - self.bounds[0]) if self.bounds else None
        return _interval(value, draws, min(self.block_counts[one], self.block_counts[other]), bounds)

    def are_separable(self, one: int, other: int) -> bool:
        """Return whether the interval of the difference excludes 0."""
        return not self.difference_interval(one, other).contains(0)


def weights_seed(seed: bytes) -> bytes:
    """Return the seed of the weights, 32 bytes. It tells nothing about `seed`, so it can be published at any time."""
    return sha256(b"bootstrap:" + seed).digest()


def bootstrap_weights(count: int, draw_count: int, seed: bytes, shares: Floats | None = None) -> Iterator[Floats]:
    """Yield `draw_count` arrays of `count` weights with mean 1. The same seed yields the same weights.

    `shares` says for how many blocks each weight stands, if not for one. Such a weight is the sum of that many
    exponential ones, a gamma variable: its mean and its variance are the share.
    """
    source = np.random.default_rng(np.frombuffer(weights_seed(seed), dtype="<u4"))
    for start in range(0, draw_count, DRAWS_PER_BATCH):
        size = min(DRAWS_PER_BATCH, draw_count - start), count
        if shares is None:
            weights = source.standard_exponential(size)
            yield from weights / weights.mean(axis=1, keepdims=True)
        else:
            weights = source.standard_gamma(shares, size)
            yield from weights * shares.sum() / weights.sum(axis=1, keepdims=True)


def student_t_quantile(freedom: int) -> float:
    """Return Student's t at 97.5 %, accurate to 1 % (M. Abramowitz and I. A. Stegun, Handbook, 1964, formula 26.7.5).

    >>> round(student_t_quantile(10), 3)
    2.228
    """
    if freedom <= len(STUDENT_T_QUANTILES):
        return STUDENT_T_QUANTILES[freedom - 1]
    x = NORMAL_QUANTILE
    first = (x**3 + x) / 4
    second = (5 * x**5 + 16 * x**3 + 3 * x) / 96
    third = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    return x + first / freedom + second / freedom**2 + third / freedom**3


def _interval(value: float, draws: Floats, count: int, bounds: tuple[float, float] | None) -> Interval:
    if count < 2:
        return Interval(*(bounds or (None, None)))
    spread = float(draws.std(ddof=1))
    if bounds is None:
        return Interval(value - NORMAL_QUANTILE * spread, value + NORMAL_QUANTILE * spread)
    if spread < 1e-12:
        return _constant_interval(value, count, bounds)
    reach = student_t_quantile(count - 1) * sqrt((count + 1) / (count - 1)) * spread
    return Interval(max(bounds[0], value - reach), min(bounds[1], value + reach))


def _constant_interval(value: float, count: int, bounds: tuple[float, float]) -> Interval:
    """Return the interval of a mean if all `count` blocks gave the same value.

    By the rule of three, up to 3 / `count` of all blocks may have the lowest or the highest possible value.
    """
    part = min(1.0, RULE_OF_THREE / count)
    low, high = (value + part * (bound - value) for bound in bounds)
    return Interval(low, high)
