"""Computes the certainty: the probability that one entrant is the best of several.

The share of the bootstrap's draws in which the leader has the highest figure would be too high, because the leader is
found by the same luck: of twelve equal bots, one leads, and it has the highest figure in 40 % of the draws. So the
draws are shrunk first, as far as the league's differences may be luck (empirical Bayes; B. Efron and C. Morris, JASA
70, 1975). From the entrants' figures v, and the variance s² of each entrant's draws:

    m   median of all v
    t²  max(0, mean of (v - m)² - s²): once over the half of the entrants above m, once over the half below
    B   t² / (t² + s²) for each entrant, with the t² of its half; A with the t² of the upper half
    shrunk draw: m + B * (v - m) + sqrt(A) * (draw - v)

If true figures are normal, with the mean m and the variance t², then a true figure above m has this distribution, given
v. The halves are apart because a few weak entrants, which differ much, tell nothing about how much the best differ. An
entrant of the lower half can only be the best if it is like those of the upper half, so its draws spread like theirs.
`make champion-statistics` shows how often the leader is the best, beside this probability.
"""

from collections.abc import Sequence
from math import exp

import numpy as np

from arena.competition.league.estimates import Estimates, Floats
from arena.competition.league.ranking_measure import RankingMeasure

_EQUAL = 1e-9
"""Figures that differ by less are equal."""
_NOTHING = 1e-18
"""A smaller variance is 0 but for rounding."""


def probability_best(
    name: str, names: Sequence[str], measure: RankingMeasure, league: Sequence[str] = ()
) -> float | None:
    """Return the probability that this entrant is the best of `names`, 0 to 1.

    `league` has all entrants that show how much the figures differ; by default these are `names`. Equal draws share
    the probability.

    If an entrant has the same score in all blocks, its draws do not vary, so they cannot say how little few blocks
    prove. Therefore, among m names, after n blocks of this one, the probability is at most 1 - (1 - 1 / m) * exp(-n /
    2). This agrees with the rule of three in `estimates.py`: if two entrants always differ by as much as possible,
    their interval excludes 0 after 6 blocks.

    None if some figures are not comparable, or if there are no draws.
    """
    columns = [measure.index[each] for each in names]
    population = [measure.index[each] for each in league or names]
    if not len(measure.estimates.draws) or len({measure.groups[column] for column in columns}) > 1:
        return None
    draws = _shrunk_draws(measure.estimates, population)[:, columns]
    highest = draws >= draws.max(axis=1, keepdims=True) - _EQUAL
    share = float((highest[:, list(names).index(name)] / highest.sum(axis=1)).mean())
    doubt = exp(-measure.estimates.block_counts[measure.index[name]] / 2)
    return min(share, 1 - (1 - 1 / len(columns)) * doubt)


def _shrunk_draws(estimates: Estimates, population: Sequence[int]) -> Floats:
    """Return the draws of all entrants, shrunk by what the population's figures say."""
    values, noise = estimates.values, estimates.draws.var(axis=0)
    order, half = sorted(population, key=values.__getitem__), len(population) // 2
    middle = float(np.median(values[population]))
    above, below = (_variance(values[part] - middle, noise[part]) for part in (order[-half:], order[:half]))
    kept_above, kept_below = (part / np.maximum(part + noise, _NOTHING) for part in (above, below))
    kept = np.where(values > middle, kept_above, kept_below)
    return np.asarray(middle + kept * (values - middle) + np.sqrt(kept_above) * (estimates.draws - values))


def _variance(distances: Floats, noise: Floats) -> float:
    """Return the variance of true figures from their measured distances and the variance of the measurements."""
    return max(0.0, float((distances**2 - noise).mean())) if len(distances) else 0.0
