"""How far each pair is from what all others make one expect of it, and how far honest pairs are from that."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median

from arena.analytics.call_rate_model import CallForecast, CallRateModel, EntrantPair
from arena.analytics.counts import PairSums

MIN_EXPECTED_CALLS = 10.0
"""Calls that must be expected of a pair, both ways together, before it is judged at all."""

MIN_OTHERS = 3
"""Entrants besides each other that both must have met. Among four, two that spare each other look like the other two
who call each other too seldom."""
MIN_SPREAD = 0.1
"""Honest pairs are taken to differ by so much in any case: few pairs tell too little of it."""

_NORMAL_QUARTILE = 0.6745
"""Half of a normal distribution lies within so many standard deviations."""
_MAX_SPREAD = 4.0
_BISECTION_STEPS = 40


@dataclass(frozen=True, slots=True)
class PairDirection:
    """One entrant's treatment of another."""

    caller: str
    accused: str
    games: int
    """In which there was a chance."""
    chances: int
    taken: int
    """Calls, or attacks."""
    expected: float
    """By what everybody else does; 0 where that cannot be said."""


@dataclass(frozen=True, slots=True)
class PairDeviation:
    """A pair's calls against those that were expected."""

    directions: tuple[PairDirection, PairDirection]
    expected: float
    """Calls both ways together."""
    ratio: float
    """Those that were made to those that were expected."""
    error: float
    """Standard error of the ratio, by chance alone."""

    @property
    def pair(self) -> EntrantPair:
        """The pair, in alphabetical order."""
        return self.directions[0].caller, self.directions[0].accused

    def z_score(self, spread: float) -> float:
        """Standard deviations from what was expected; negative: fewer calls."""
        return (self.ratio - 1) / sqrt(self.error**2 + spread**2)


class CollusionFit:
    """A league seen with some pairs set aside: everything is fitted without them."""

    def __init__(self, pairs: Mapping[EntrantPair, PairSums], set_aside: Collection[EntrantPair] = ()) -> None:
        """Pairs that are set aside are in alphabetical order, and are so both ways."""
        self._pairs = pairs
        self.set_aside = frozenset(set_aside)
        self._tendencies = CallRateModel(pairs, {way for pair in set_aside for way in (pair, pair[::-1])})
        both = {(min(pair), max(pair)) for pair in pairs}
        self._met = Counter(name for pair in both for name in pair)
        deviations = [self.deviation(pair) for pair in sorted(both - self.set_aside)]
        self.deviations = [each for each in deviations if self._can_judge(each)]
        """Of all pairs that can be judged."""
        self.spread = _estimate_spread(self.deviations)
        """Standard deviation of the ratio between pairs, beyond chance."""

    def deviation(self, pair: EntrantPair) -> PairDeviation:
        """Measure a pair, set aside or not; nothing is expected of one that nothing is known of."""
        ways = [(way, self._tendencies.forecast(way)) for way in (pair, pair[::-1])]
        known = [(self._pairs[way].taken, forecast) for way, forecast in ways if forecast]
        expected = sum(forecast.expected for _, forecast in known)
        first, second = (self._direction(way, forecast) for way, forecast in ways)
        if not expected:
            return PairDeviation((first, second), 0.0, 1.0, 0.0)
        error = sqrt(sum(forecast.variance for _, forecast in known)) / expected
        return PairDeviation((first, second), expected, sum(taken for taken, _ in known) / expected, error)

    def _can_judge(self, deviation: PairDeviation) -> bool:
        others = min(self._met[name] for name in deviation.pair) - 1
        return deviation.expected >= MIN_EXPECTED_CALLS and others >= MIN_OTHERS

    def _direction(self, way: EntrantPair, forecast: CallForecast | None) -> PairDirection:
        sums = self._pairs.get(way)
        games, chances, taken = (int(sums.games), int(sums.chances), int(sums.taken)) if sums else (0, 0, 0)
        return PairDirection(*way, games, chances, taken, forecast.expected if forecast else 0.0)


def _estimate_spread(deviations: Sequence[PairDeviation]) -> float:
    """Find how far pairs differ beyond chance: as much as makes half of them lie in the middle half, if not less."""

    def is_too_small(spread: float) -> bool:
        return median(abs(each.z_score(spread)) for each in deviations) > _NORMAL_QUARTILE

    if not deviations or not is_too_small(MIN_SPREAD):
        return MIN_SPREAD
    low, high = MIN_SPREAD, _MAX_SPREAD
    for _ in range(_BISECTION_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_too_small(middle) else (low, middle)
    return high
