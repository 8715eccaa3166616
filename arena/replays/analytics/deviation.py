"""Measures the deviation of each pair from its expected calls, and the spread of honest pairs."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median

from arena.replays.analytics.call_rate_model import CallForecast, CallRateModel, EntrantPair
from arena.replays.analytics.counts import PairSums

MIN_EXPECTED_CALLS = 10.0
"""A pair is only judged if it has at least this many expected calls, in both directions together."""

MIN_OTHERS = 3
"""A pair is only judged if each of the two has met at least this many other entrants.

Suppose that two of four entrants collude and never call each other. Then the other two also seem to call each other too
rarely, and the two pairs look the same.
"""
MIN_SPREAD = 0.1
"""Lower bound of the spread between honest pairs. It is needed because few pairs give a poor estimate."""

_NORMAL_QUARTILE = 0.6745
"""Half of a normal distribution lies within this many standard deviations of its mean."""
_MAX_SPREAD = 4.0
_BISECTION_STEPS = 40


@dataclass(frozen=True, slots=True)
class PairDirection:
    """The calls of one entrant against another."""

    caller: str
    accused: str
    games: int
    """Number of games with at least one chance."""
    chances: int
    taken: int
    """Number of calls or attacks that the caller made."""
    expected: float
    """Number of calls predicted from all other pairs; 0 if there is no forecast."""


@dataclass(frozen=True, slots=True)
class PairDeviation:
    """A pair's calls compared with the expected ones."""

    directions: tuple[PairDirection, PairDirection]
    expected: float
    """Number of expected calls in both directions together."""
    ratio: float
    """Ratio of actual to expected calls."""
    error: float
    """Standard error of the ratio, from chance alone."""

    @property
    def pair(self) -> EntrantPair:
        """The pair, in alphabetical order."""
        return self.directions[0].caller, self.directions[0].accused

    def z_score(self, spread: float) -> float:
        """Return the distance from the expected calls in standard deviations; negative for fewer calls."""
        return (self.ratio - 1) / sqrt(self.error**2 + spread**2)


class CollusionFit:
    """The deviations of a league's pairs from a model. The model is fitted without the pairs that are set aside."""

    def __init__(self, pairs: Mapping[EntrantPair, PairSums], set_aside: Collection[EntrantPair] = ()) -> None:
        """Fit the model without the pairs in `set_aside`, in both directions. Each pair is in alphabetical order."""
        self._pairs = pairs
        self.set_aside = frozenset(set_aside)
        self._call_rates = CallRateModel(pairs, {way for pair in set_aside for way in (pair, pair[::-1])})
        both = {(min(pair), max(pair)) for pair in pairs}
        self._met = Counter(name for pair in both for name in pair)
        deviations = [self.deviation(pair) for pair in sorted(both - self.set_aside)]
        self.deviations = [each for each in deviations if self._can_judge(each)]
        """The deviations of all pairs that can be judged and are not set aside."""
        self.spread = _estimate_spread(self.deviations)
        """Standard deviation of the ratio among pairs, beyond what chance explains."""

    def deviation(self, pair: EntrantPair) -> PairDeviation:
        """Return a pair's deviation, even if the pair is set aside. No forecast means 0 expected calls and ratio 1."""
        ways = [(way, self._call_rates.forecast(way)) for way in (pair, pair[::-1])]
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
    """Return the spread that puts half of the pairs into the middle half of the normal distribution.

    The result is at least `MIN_SPREAD`.
    """

    def is_too_small(spread: float) -> bool:
        return median(abs(each.z_score(spread)) for each in deviations) > _NORMAL_QUARTILE

    if not deviations or not is_too_small(MIN_SPREAD):
        return MIN_SPREAD
    low, high = MIN_SPREAD, _MAX_SPREAD
    for _ in range(_BISECTION_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_too_small(middle) else (low, middle)
    return high
