"""Finds owners whose bots one bot leaves behind far more often than strengths explain.

Such an owner may be an accomplice. So the bot's rating is the lower of two: over all its games, and over those without
that owner's bots (`league/rating.py`). Nobody else's rating changes: otherwise a bot could be rid of games by losing
them. House bots are nobody's accomplices.

Under the null hypothesis, the number of the owner's bots that the bot left behind is binomial. The log odds are the
difference of their strengths in the fit of all games, from which the games of the two are taken out to the first order.
Their error counts, and as in the screen of leagues (`league/accomplice_screen.py`) so do `SPREAD_FACTOR` times the
variance between all other pairs, because a bot may suit another one. The test is one-sided, with Bonferroni's
correction for those pairs that have enough games to be significant at all (R. E. Tarone, Biometrics 46, 1990, p. 515).
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import lgamma
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from arena.competition.league.accomplice_screen import MIN_Z, SPREAD_FACTOR
from arena.competition.league.accomplices import Accomplices
from arena.competition.league.plackett_luce import Fit, fit_model
from arena.competition.league.prior import add_prior
from arena.competition.league.rating import build_model
from arena.competition.pools.ports import SeasonBot
from arena.competition.pools.rated_shares import is_house, owner_of
from arena.competition.pools.season_results import SeasonResults

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

SIGNIFICANCE_LEVEL: Final = 0.05
"""Probability that a season has a flag although no owner helps another one. A wrong flag takes a little luck away."""
MIN_MEETINGS: Final = 5
"""Pairs that met less often are not tested."""
_MOST_LEVERAGE: Final = 0.9
_NOTHING: Final = 1e-9
_NODES, _WEIGHTS = hermegauss(41)
"""The log odds over which a probability is averaged, in standard deviations (Gauss-Hermite quadrature)."""


class _Meetings(NamedTuple):
    """Pairs of a bot and an owner whose bots it met. Each array has an entry for each pair."""

    bot: Integers
    owner: Integers
    games: Integers
    """How many of the owner's bots finished ahead of the bot or behind it."""
    ahead: Integers
    """How many of them the bot left behind."""
    expected: Floats
    """How many of them it leaves behind by the fit."""
    variance: Floats
    """The variance of that number."""
    pull: Floats
    """How much the games of the two move the difference of their strengths in the fit."""
    error_squared: Floats
    """The variance of that difference without these games."""


def find_accomplices(results: SeasonResults, bots: Mapping[str, SeasonBot]) -> Accomplices:
    """Return, for each version of a bot with accomplices, all versions of their bots."""
    names = sorted(results.programs)
    owners = [owner_of(results.programs[name][0], bots) for name in names]
    bot_numbers, owner_numbers = _number(results.programs[name][0] for name in names), _number(owners)
    owner_numbers[[is_house(results.programs[name][0], bots) for name in names]] = -1
    met = _count_meetings(results, names, bot_numbers, owner_numbers)
    found: dict[str, frozenset[str]] = {}
    for pair in _find_flagged(met):
        helpers = frozenset(np.array(names)[owner_numbers == met.owner[pair]].tolist())
        for name in np.array(names)[bot_numbers == met.bot[pair]].tolist():
            found[name] = found.get(name, frozenset()) | helpers
    return found


def _number(keys: Iterable[Hashable]) -> Integers:
    """Return a number for each key, the same for equal keys."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def _count_meetings(results: SeasonResults, names: Sequence[str], bots: Integers, owners: Integers) -> _Meetings:
    """Return the meetings of all pairs. `bots` and `owners` have a number for each name; that of house bots is -1."""
    index, fit = {name: number for number, name in enumerate(names)}, _fit(results, names)
    tables = [(table, each.share) for each in results.played for table in each.tables]
    who = np.array([[index[name] for name in table.seats] for table, _ in tables], dtype=np.intp)
    places = np.array([table.places for table, _ in tables])
    seat, other_seat = np.nonzero(~np.eye(who.shape[1], dtype=bool))
    one, other = who[:, seat].ravel(), who[:, other_seat].ravel()
    lead = (places[:, other_seat] - places[:, seat]).ravel()
    share = np.repeat([share for _, share in tables], len(seat))
    counts = (lead != 0) & (owners[one] >= 0) & (owners[other] >= 0) & (owners[one] != owners[other])
    one, other, is_ahead, share = one[counts], other[counts], (lead > 0)[counts], share[counts]
    chance = 1 / (1 + np.exp(fit.terms[other] - fit.terms[one]))
    keys, pair = np.unique(bots[one] * len(names) + owners[other], return_inverse=True)

    def add_up(values: NDArray[Any]) -> Floats:
        return np.bincount(pair, values.astype(float), len(keys)).astype(float)

    variances, spread = fit.inverse.diagonal(), chance * (1 - chance)
    games, variance = add_up(np.ones(len(pair))), add_up(spread)
    error_squared = add_up(spread * (variances[one] + variances[other] - 2 * fit.inverse[one, other])) / variance
    without = 1 - np.minimum(add_up(share * spread) * error_squared, _MOST_LEVERAGE)
    pull = error_squared / without * add_up(share * (is_ahead - chance))
    counted = games.astype(np.intp), add_up(is_ahead).astype(np.intp), add_up(chance), variance
    return _Meetings(keys // len(names), keys % len(names), *counted, pull, error_squared / without)


def _fit(results: SeasonResults, names: Sequence[str]) -> Fit:
    """Return the fit that ratings have, with terms in the order of the names."""
    alike = np.array([name in results.first_versions for name in names])
    model, shares = add_prior(
        build_model(results.blocks, names),
        np.array([each.share for each in results.blocks]),
        alike,
        np.ones(len(names), bool),
    )
    return fit_model(model, shares)


def _find_flagged(met: _Meetings) -> Sequence[int]:
    """Return the pairs that are significant."""
    deviation = (met.ahead - met.expected) / met.variance + met.pull
    weight = 1 / (1 / met.variance + met.error_squared)
    excess = weight * deviation**2 - 1
    spread_of_rest = (excess.sum() - excess) / np.maximum(weight.sum() - weight, _NOTHING)
    error_squared = met.error_squared + SPREAD_FACTOR * np.maximum(spread_of_rest, 0)
    is_suspect = deviation > MIN_Z * np.sqrt(1 / met.variance + error_squared)
    judged = np.flatnonzero(met.games >= MIN_MEETINGS)
    log_odds = (np.log(met.expected / (met.games - met.expected)) - met.pull)[judged, None]
    chances = 1 / (1 + np.exp(-log_odds - np.sqrt(error_squared)[judged, None] * _NODES))
    level = _corrected_level(chances ** met.games[judged, None] @ _WEIGHTS / _WEIGHTS.sum())
    tested = [(pair, row) for row, pair in enumerate(judged.tolist()) if is_suspect[pair]]
    return [pair for pair, row in tested if _tail(int(met.games[pair]), int(met.ahead[pair]), chances[row]) <= level]


def _corrected_level(least: Floats) -> float:
    """Return the level of each test, from the smallest probability that each can find (Tarone)."""
    counts = np.arange(1, len(least) + 1)
    are_enough = np.searchsorted(np.sort(least), SIGNIFICANCE_LEVEL / counts, side="right") <= counts
    return float(SIGNIFICANCE_LEVEL / counts[are_enough.argmax()]) if len(least) else 0.0


def _tail(games: int, ahead: int, chances: Floats) -> float:
    """Return the probability of being ahead in `ahead` or more of `games`, averaged over the nodes."""
    counts = np.arange(ahead, games + 1)
    ways = [lgamma(games + 1) - lgamma(each + 1) - lgamma(games - each + 1) for each in counts.tolist()]
    powers = np.array(ways) + counts * np.log(chances)[:, None] + (games - counts) * np.log1p(-chances)[:, None]
    return float(_WEIGHTS @ np.exp(powers).sum(axis=1) / _WEIGHTS.sum())
