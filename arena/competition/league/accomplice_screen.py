"""Screens results for accomplices: entrants that come last beside another one more often than its strength explains.

The games of an entrant form a table of two by two: it came last or did not, and the other entrant was at the table or
was not. The null hypothesis says that the number of last places beside the other one, given all games and last places,
has Fisher's noncentral hypergeometric distribution (R. A. Fisher, J. R. Statist. Soc. 98, 1935, p. 39). Its log odds
ratio is normally distributed:

* its mean is the other one's log odds ratio with everybody else: beside a strong bot, anybody comes last more often. It
  is estimated as by R. Peto (S. Yusuf and others, Prog. Cardiovasc. Dis. 27, 1985, p. 335), and its error counts;
* its variance is `SPREAD_FACTOR` times that between all other pairs (R. DerSimonian and N. Laird, Control. Clin. Trials
  7, 1986, p. 177). Honest bots have one too, because a bot may suit or not suit another one.

The test is one-sided, with Bonferroni's correction for all ordered pairs. No model of strengths takes part, so ties,
seats and games that know only a winner need no special care.

A flag says that chance, strength and the spread of all pairs do not explain the last places. It is not proof: one bot
that sees through another, as no other pair does, leaves the same figures. `accomplices.py` says what follows.

`make accomplice-statistics` measured 1,000 leagues of each kind, most of 12 bots at tables of four. Of 17 honest kinds
(rock, paper and scissors, ties, winners only, 3 to 5 seats, 5 to 60 bots), 0 to 0.4 % of leagues had a flag. A bot that
always came last beside a friend was flagged in 83 % of leagues of 160 games, and in all of 400. If it did so half the
time, it was flagged in 3 % after 160 games, 27 % after 400 and 90 % after 1,000. Where bots suit each other as rock,
paper and scissors do, it hides better: 20 to 55 % after 400 games.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, log, sqrt

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from arena.competition.league.model import BlockResult
from arena.competition.league.points import came_last

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

SIGNIFICANCE_LEVEL = 0.01
"""Probability that a league has a flag although no entrant helps another one."""
SPREAD_FACTOR = 1.5
"""Where only few pairs suit each other badly, the tail is longer than that of a normal distribution as wide."""
MIN_Z = 2.0
"""The exact probability is only computed for pairs with at least this distance from 0, in standard deviations."""
_NODES, _WEIGHTS = hermegauss(41)
"""The log odds ratios over which the probability is averaged, in standard deviations (Gauss-Hermite quadrature)."""
_NOTHING = 1e-9
"""A smaller variance is 0 but for rounding."""


@dataclass(frozen=True, slots=True)
class AccompliceEvidence:
    """How often one entrant comes last, beside another one and elsewhere."""

    entrant: str
    other: str
    games: int
    """Number of games of the two together."""
    last_places: int
    """In how many of them the entrant came last."""
    expected: float
    """In how many it would have come last under the null hypothesis."""
    games_elsewhere: int
    last_places_elsewhere: int
    p_corrected: float
    """Probability that any pair of an honest league is as conspicuous, by Bonferroni's correction."""


def screen_for_accomplices(
    results: Sequence[BlockResult], level: float = SIGNIFICANCE_LEVEL
) -> tuple[AccompliceEvidence, ...]:
    """Return the flagged pairs, the most conspicuous first. `level` is how many honest pairs may be expected there."""
    names = sorted({name for result in results for name in result.block.names})
    met, last = _count_last_places(names, results)
    found = []
    for suspect in _find_suspects(met, last):
        one, other = suspect.entrant, suspect.other
        games, lasts = int(met[one, other]), int(last[one, other])
        games_elsewhere, lasts_elsewhere = int(met[one, one]) - games, int(last[one, one]) - lasts
        counts, chances = _null_distribution(games, games_elsewhere, lasts + lasts_elsewhere, suspect)
        found.append(
            AccompliceEvidence(
                names[one],
                names[other],
                games,
                lasts,
                float(chances @ counts),
                games_elsewhere,
                lasts_elsewhere,
                float(chances[counts >= lasts].sum()) * suspect.pair_count,
            )
        )
    flagged = (each for each in found if each.p_corrected < level)
    return tuple(sorted(flagged, key=lambda each: each.p_corrected))


def _count_last_places(names: Sequence[str], results: Sequence[BlockResult]) -> tuple[Integers, Integers]:
    """Return the row's games and last places at tables with the column; on the diagonal, all games and last places."""
    index, size = {name: number for number, name in enumerate(names)}, len(names)
    met, last = np.zeros((2, size**2), dtype=np.intp)
    tables = [table for result in results for table in result.tables]
    for seats in {len(table.seats) for table in tables}:
        alike = [table for table in tables if len(table.seats) == seats]
        who = np.array([[index[name] for name in table.seats] for table in alike])
        is_last = np.array([[came_last(table.places, seat) for seat in range(seats)] for table in alike])
        pairs = who[:, :, None] * size + who[:, None, :]
        met += np.bincount(pairs.ravel(), minlength=size**2)
        last += np.bincount(pairs[is_last].ravel(), minlength=size**2)
    return met.reshape(size, size), last.reshape(size, size)


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A pair with more last places than its null hypothesis has in the mean."""

    entrant: int
    other: int
    log_odds: float
    """Mean of the log odds ratio under the null hypothesis."""
    error: float
    """Standard deviation of the log odds ratio under the null hypothesis."""
    pair_count: int
    """Number of ordered pairs that can be judged."""


def _find_suspects(met: Integers, last: Integers) -> Iterator[_Suspect]:
    """Yield the suspects among all pairs of a row with a column. A log odds ratio is a surplus / its variance."""
    games, lasts = met.diagonal()[:, None].astype(float), last.diagonal()[:, None]
    surplus = last - lasts * met / games
    variance = lasts * (games - lasts) * met * (games - met) / (games**2 * np.maximum(games - 1, 1))
    surplus_of_rest, variance_of_rest = (each.sum(axis=0) - each for each in (surplus, variance))
    plays_elsewhere = met < met.diagonal()
    pairs = np.nonzero((variance > 0) & (variance_of_rest > _NOTHING) & plays_elsewhere)
    log_odds, error_squared = surplus_of_rest[pairs] / variance_of_rest[pairs], 1 / variance_of_rest[pairs]
    deviation = surplus[pairs] / variance[pairs] - log_odds
    weight = 1 / (1 / variance[pairs] + error_squared)
    excess = weight * deviation**2 - 1
    spread_of_rest = (excess.sum() - excess) / np.maximum(weight.sum() - weight, _NOTHING)
    error_squared = error_squared + SPREAD_FACTOR * np.maximum(spread_of_rest, 0)
    z = deviation / np.sqrt(1 / variance[pairs] + error_squared)
    for number in np.flatnonzero(z > MIN_Z).tolist():
        entrant, other = int(pairs[0][number]), int(pairs[1][number])
        yield _Suspect(entrant, other, float(log_odds[number]), sqrt(error_squared[number]), len(z))


def _null_distribution(games: int, games_elsewhere: int, lasts: int, null: _Suspect) -> tuple[Integers, Floats]:
    """Return the possible numbers of last places beside the other one, and the probability of each.

    `lasts` is the number of all last places of the entrant.
    """
    counts = np.arange(max(0, lasts - games_elsewhere), min(games, lasts) + 1)
    ways = [log(comb(games, count)) + log(comb(games_elsewhere, lasts - count)) for count in counts.tolist()]
    powers = np.array(ways) + counts * (null.log_odds + null.error * _NODES)[:, None]
    chances = np.exp(powers - powers.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    return counts, _WEIGHTS @ chances / _WEIGHTS.sum()
