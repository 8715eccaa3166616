"""A screen for collusion: pairs that call each other, or in CHEATER attack each other, less than their games explain.

The null hypothesis: how often one entrant calls another is (how the chances looked, game by game: `sparing`) times
(how it calls in general) times (how the other is called in general: `tendencies`), but for chance, for what differs from
game to game, and for a spread between pairs that honest bots have too, as they are no such products. That spread is
estimated from the middle half of all pairs, so that a few colluding ones do not hide behind themselves.

Tested is the sum of both directions, one-sided, with Holm's correction for all pairs (Scand. J. Statist. 6, 1979, p.
65). A pair that is found is set aside and everything is fitted anew, as the other calls of the two seem many beside
those that are missing. A flag says that chance and the deals do not explain it, and shows the figures. It is no verdict:
bots that learn how the other plays, or fail in the same games, may do the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import erfc, sqrt
from statistics import median

from arena.insight.counts import PairSums
from arena.insight.tendencies import Forecast, Pair, Tendencies

LEVEL = 0.01
"""Chance that any pair of a league is flagged where nobody colludes."""
FEWER = 0.75
"""A flag needs so small a share of the expected calls: less than that matters little, however sure it is."""
LEAST_EXPECTED = 10.0
"""Calls that must be expected of a pair before it is judged at all."""

_MIDDLE = 0.6745
"""Half of a normal distribution lies within so many standard deviations."""
_WIDEST = 4.0


@dataclass(frozen=True, slots=True)
class Direction:
    """One entrant's treatment of the other."""

    caller: str
    accused: str
    games: int
    """In which there was a chance."""
    chances: int
    taken: int
    """Calls, or attacks."""
    expected: float
    """By everybody else's; 0 where that cannot be said."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a pair."""

    directions: tuple[Direction, Direction]
    ratio: float
    """Calls that were made, in both directions, to those that were expected."""
    z: float
    """Standard deviations from what was expected; negative: fewer."""
    p: float
    """Chance of so few, or fewer, without collusion; of this pair alone."""
    p_of_all: float
    """The same with Holm's correction for all pairs."""
    is_flagged: bool


@dataclass(frozen=True, slots=True)
class Screening:
    """All pairs that could be judged."""

    pairs: tuple[Evidence, ...]
    """Flagged ones first, in the order in which they were found, then by p."""
    spread: float
    """Standard deviation of the ratio between honest pairs, beyond chance."""
    unjudged_count: int
    """Pairs that met too seldom."""

    @property
    def flagged(self) -> tuple[Evidence, ...]:
        """The pairs that are flagged."""
        return tuple(pair for pair in self.pairs if pair.is_flagged)


@dataclass(frozen=True, slots=True)
class _Deviation:
    """A pair's calls against those that were expected."""

    pair: Pair
    forecasts: tuple[Forecast | None, Forecast | None]
    expected: float
    ratio: float
    error: float
    """Standard error of the ratio."""

    def z(self, spread: float) -> float:
        return (self.ratio - 1) / sqrt(self.error**2 + spread**2)


def screen(pairs: Mapping[Pair, PairSums]) -> Screening:
    """Screen all pairs of a league; `pairs` as `Gathered` has them."""
    both = sorted({(min(pair), max(pair)) for pair in pairs})
    found: list[Evidence] = []
    set_aside: list[Pair] = []
    while True:
        deviations = _deviations(pairs, both, set_aside)
        spread = _spread(deviations)
        rest = _by_p(pairs, deviations, spread)
        worst = next((each for each in rest if each.p_of_all < LEVEL and each.ratio < FEWER), None)
        if worst is None:
            return Screening((*found, *rest), spread, len(both) - len(found) - len(rest))
        found.append(replace(worst, is_flagged=True))
        set_aside += [(way.caller, way.accused) for way in worst.directions]


def _deviations(pairs: Mapping[Pair, PairSums], both: Sequence[Pair], set_aside: Sequence[Pair]) -> list[_Deviation]:
    tendencies = Tendencies(pairs, set(set_aside))
    left = [pair for pair in both if pair not in set_aside]
    found = [_deviation(pairs, pair, (tendencies.forecast(pair), tendencies.forecast(pair[::-1]))) for pair in left]
    return [each for each in found if each.expected >= LEAST_EXPECTED]


def _deviation(
    pairs: Mapping[Pair, PairSums], pair: Pair, forecasts: tuple[Forecast | None, Forecast | None]
) -> _Deviation:
    known = [(way, forecast) for way, forecast in zip((pair, pair[::-1]), forecasts, strict=True) if forecast]
    expected = sum(forecast.expected for _, forecast in known)
    if not expected:
        return _Deviation(pair, forecasts, 0.0, 1.0, 0.0)
    taken = sum(pairs[way].taken for way, _ in known)
    error = sqrt(sum(forecast.variance for _, forecast in known)) / expected
    return _Deviation(pair, forecasts, expected, taken / expected, error)


def _spread(deviations: Sequence[_Deviation]) -> float:
    """Find how far pairs differ beyond chance: as much as makes half of them lie in the middle half."""

    def is_too_small(spread: float) -> bool:
        return median(abs(each.z(spread)) for each in deviations) > _MIDDLE

    if not deviations or not is_too_small(0.0):
        return 0.0
    low, high = 0.0, _WIDEST
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if is_too_small(middle) else (low, middle)
    return high


def _by_p(pairs: Mapping[Pair, PairSums], deviations: Sequence[_Deviation], spread: float) -> list[Evidence]:
    """Give the evidence, least probable first; nothing is flagged yet."""
    ordered = sorted(deviations, key=lambda each: (each.z(spread), each.pair))
    found: list[Evidence] = []
    for place, each in enumerate(ordered):
        z = each.z(spread)
        p = erfc(-z / sqrt(2)) / 2
        p_of_all = max(min(p * (len(ordered) - place), 1.0), found[-1].p_of_all if found else 0.0)
        found.append(Evidence(_directions(pairs, each), each.ratio, z, p, p_of_all, is_flagged=False))
    return found


def _directions(pairs: Mapping[Pair, PairSums], of: _Deviation) -> tuple[Direction, Direction]:
    first, second = (_direction(pairs, *each) for each in zip((of.pair, of.pair[::-1]), of.forecasts, strict=True))
    return first, second


def _direction(pairs: Mapping[Pair, PairSums], way: Pair, forecast: Forecast | None) -> Direction:
    sums = pairs.get(way)
    games, chances, taken = (int(sums.games), int(sums.chances), int(sums.taken)) if sums else (0, 0, 0)
    return Direction(*way, games, chances, taken, forecast.expected if forecast else 0.0)
