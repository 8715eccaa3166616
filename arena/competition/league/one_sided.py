"""Finds one-sided pairs: entrants that leave another one behind far more often than their strengths explain.

Under the null hypothesis, the number of meetings that the entrant finishes ahead is binomial. The log odds are the
difference of the two strengths in the fit of all games, from which the games of the two are taken out to the first
order. Their error counts, and as in `accomplice_screen.py` so do `SPREAD_FACTOR` times the variance between all other
pairs, because a bot may suit another one. The test is one-sided.
"""

from collections.abc import Sequence
from math import lgamma
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from arena.competition.league.accomplice_screen import MIN_Z, SPREAD_FACTOR
from arena.competition.league.model import BlockResult
from arena.competition.league.plackett_luce import Fit

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

MIN_MEETINGS: Final = 5
"""Pairs that met less often are not tested."""
_MOST_LEVERAGE: Final = 0.9
_NOTHING: Final = 1e-9
_FAR: Final = 30.0
"""Log odds beyond which a probability is 0 or 1 but for rounding."""
_NODES, _WEIGHTS = hermegauss(41)
"""The log odds over which a probability is averaged, in standard deviations (Gauss-Hermite quadrature)."""


class Meetings(NamedTuple):
    """Pairs of an entrant and another one. Each array has an element for each pair. Either may have several names."""

    entrant: Integers
    other: Integers
    games: Integers
    """How often the two met without a tie."""
    ahead: Integers
    """How often the entrant was ahead."""
    expected: Floats
    """How often it is ahead by the fit."""
    variance: Floats
    """The variance of that number."""
    pull: Floats
    """How much the games of the two move the difference of their strengths in the fit."""
    error_squared: Floats
    """The variance of that difference without these games."""


class Tested(NamedTuple):
    """What the test says of each pair that met often enough."""

    pair: Integers
    """The index of the pair in `Meetings`."""
    expected: Floats
    """How often the entrant is ahead under the null hypothesis."""
    least: Floats
    """The probability under the null hypothesis of being ahead in all games: no pair can be more conspicuous."""
    p_value: Floats
    """The probability of being ahead as often; 1 where it is not far from what is expected."""


def count_meetings(
    results: Sequence[BlockResult], names: Sequence[str], fit: Fit, entrants: Integers, others: Integers
) -> Meetings:
    """Return the meetings of all pairs in these results.

    `fit` has the strengths in the order of the names. `entrants` and `others` have for each name the number of the
    entrant, and of the other one, to whom its games belong. Nothing is counted between names of one other one, nor for
    names whose number there is -1.
    """
    index = {name: number for number, name in enumerate(names)}
    tables = [(table, each.share) for each in results for table in each.tables]
    who = np.array([[index[name] for name in table.seats] for table, _ in tables], dtype=np.intp)
    places = np.array([table.places for table, _ in tables])
    seat, other_seat = np.nonzero(~np.eye(who.shape[1], dtype=bool))
    one, other = who[:, seat].ravel(), who[:, other_seat].ravel()
    lead = (places[:, other_seat] - places[:, seat]).ravel()
    share = np.repeat([share for _, share in tables], len(seat))
    counts = (lead != 0) & (others[one] >= 0) & (others[other] >= 0) & (others[one] != others[other])
    one, other, is_ahead, share = one[counts], other[counts], (lead > 0)[counts], share[counts]
    chance = 1 / (1 + np.exp(fit.terms[other] - fit.terms[one]))
    keys, pair = np.unique(entrants[one] * len(names) + others[other], return_inverse=True)

    def add_up(values: NDArray[Any]) -> Floats:
        return np.bincount(pair, values.astype(float), len(keys)).astype(float)

    variances, spread = fit.inverse.diagonal(), chance * (1 - chance)
    games, variance = add_up(np.ones(len(pair))), add_up(spread)
    error_squared = add_up(spread * (variances[one] + variances[other] - 2 * fit.inverse[one, other])) / variance
    without = 1 - np.minimum(add_up(share * spread) * error_squared, _MOST_LEVERAGE)
    pull = error_squared / without * add_up(share * (is_ahead - chance))
    counted = games.astype(np.intp), add_up(is_ahead).astype(np.intp), add_up(chance), variance
    return Meetings(keys // len(names), keys % len(names), *counted, pull, error_squared / without)


def judge_pairs(met: Meetings) -> Tested:
    """Return the probabilities of all pairs with at least `MIN_MEETINGS`."""
    deviation = (met.ahead - met.expected) / met.variance + met.pull
    weight = 1 / (1 / met.variance + met.error_squared)
    excess = weight * deviation**2 - 1
    spread_of_rest = (excess.sum() - excess) / np.maximum(weight.sum() - weight, _NOTHING)
    error_squared = met.error_squared + SPREAD_FACTOR * np.maximum(spread_of_rest, 0)
    is_suspect = deviation > MIN_Z * np.sqrt(1 / met.variance + error_squared)
    pairs = np.flatnonzero(met.games >= MIN_MEETINGS)
    log_odds = (np.log(met.expected / (met.games - met.expected)) - met.pull)[pairs, None]
    log_odds = np.clip(log_odds + np.sqrt(error_squared)[pairs, None] * _NODES, -_FAR, _FAR)
    chances = 1 / (1 + np.exp(-log_odds))
    p_values = np.ones(len(pairs))
    for row in np.flatnonzero(is_suspect[pairs]).tolist():
        p_values[row] = _tail(int(met.games[pairs[row]]), int(met.ahead[pairs[row]]), chances[row])
    expected, least = (
        power @ _WEIGHTS / _WEIGHTS.sum()
        for power in (chances * met.games[pairs, None], chances ** met.games[pairs, None])
    )
    return Tested(pairs, expected, least, p_values)


def _tail(games: int, ahead: int, chances: Floats) -> float:
    """Return the probability of being ahead in `ahead` or more of `games`, averaged over the nodes."""
    counts = np.arange(ahead, games + 1)
    ways = [lgamma(games + 1) - lgamma(each + 1) - lgamma(games - each + 1) for each in counts.tolist()]
    powers = np.array(ways) + counts * np.log(chances)[:, None] + (games - counts) * np.log1p(-chances)[:, None]
    return float(_WEIGHTS @ np.exp(powers).sum(axis=1) / _WEIGHTS.sum())
