"""Fits two rates for each entrant: its rate of calling, and its rate of being called.

The expected calls of a pair are r_c f_a E. E is the number that the pair's games alone predict (`expected_calls`), r_c
is the caller's rate of calling, and f_a is the accused's rate of being called. Iterative proportional fitting (W. E.
Deming and F. F. Stephan, Ann. Math. Statist. 11, 1940, p. 427) finds the rates. Pairs that the caller passes as
`set_aside` do not take part in the fit. With these rates, each entrant's expected calls add up to its actual calls.
This holds for the calls that the entrant makes, and for the calls that it receives.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from math import inf
from typing import NamedTuple, TypeAlias

from arena.replays.analytics.counts import PairSums

EntrantPair: TypeAlias = tuple[str, str]
"""The names of caller and accused."""
_MAX_ITERATIONS = 200
_TOLERANCE = 1e-6


class CallForecast(NamedTuple):
    """The expected calls of a pair, predicted from all other pairs."""

    expected: float
    variance: float
    """Variance of the difference between actual and expected calls."""


class CallRateModel:
    """Holds the fitted rates, and forecasts the calls of each pair from all other pairs."""

    def __init__(self, pairs: Mapping[EntrantPair, PairSums], set_aside: Collection[EntrantPair] = ()) -> None:
        self._pairs = pairs
        self._used = {pair: sums for pair, sums in pairs.items() if pair not in set_aside and sums.expected > 0}
        names = {name for pair in pairs for name in pair}
        self._calls = dict.fromkeys(names, 1.0)
        self._called = dict.fromkeys(names, 1.0)
        self._given = _sum_by_side({pair: sums.taken for pair, sums in self._used.items()}, 0)
        self._received = _sum_by_side({pair: sums.taken for pair, sums in self._used.items()}, 1)
        self._expected_by_caller = _sum_by_side({pair: sums.expected for pair, sums in self._used.items()}, 0)
        self._noise = _estimate_noise(self._used.values())
        self._fit()
        weighted = {(c, a): sums.expected * self._called[a] for (c, a), sums in self._used.items()}
        self._weight_given = _sum_by_side(weighted, 0)
        weighted = {(c, a): sums.expected * self._calls[c] for (c, a), sums in self._used.items()}
        self._weight_received = _sum_by_side(weighted, 1)

    def _fit(self) -> None:
        for _ in range(_MAX_ITERATIONS):
            before = dict(self._calls)
            weights = _sum_by_side({(c, a): s.expected * self._called[a] for (c, a), s in self._used.items()}, 0)
            self._calls = {name: self._given[name] / weights[name] if weights[name] else 0.0 for name in self._calls}
            weights = _sum_by_side({(c, a): s.expected * self._calls[c] for (c, a), s in self._used.items()}, 1)
            self._called = {
                name: self._received[name] / weights[name] if weights[name] else 0.0 for name in self._called
            }
            if all(abs(self._calls[name] - rate) <= _TOLERANCE for name, rate in before.items()):
                return

    def forecast(self, pair: EntrantPair) -> CallForecast | None:
        """Return a pair's forecast.

        The forecast is based on the calls that the caller made against other entrants, and on the calls that the
        accused received from other entrants. Return None if either kind of call is missing, or if the pair's own games
        predict no calls.
        """
        sums = self._pairs.get(pair)
        if sums is None or not sums.expected:
            return None
        caller, accused = pair
        own = self._used.get(pair)
        taken, expected = (own.taken, own.expected) if own else (0.0, 0.0)
        given, received = self._given[caller] - taken, self._received[accused] - taken
        weight_given = self._weight_given[caller] - expected * self._called[accused]
        weight_received = self._weight_received[accused] - expected * self._calls[caller]
        if min(given, received, weight_given, weight_received) <= 0:
            return None
        rate = given / weight_given * received / weight_received
        forecast = rate * sums.expected
        # A pair's variance within a game assumes that the number of its caller's calls is known. Here that number is
        # estimated, so the variance is larger.
        elsewhere = self._expected_by_caller[caller] - expected
        growth = 1 + sums.expected / elsewhere if elsewhere > 0 else inf
        rate_variance = forecast * forecast * (1 / given + 1 / received)
        return CallForecast(forecast, self._noise * (rate * sums.variance * growth + rate_variance))


def _estimate_noise(pairs: Iterable[PairSums]) -> float:
    """Return how much more a pair's calls vary from game to game than chance allows, as a factor of at least 1.

    Each pair is measured against its own ratio of actual to expected calls, so a colluding pair does not raise the
    factor.
    """
    measured = by_chance = 0.0
    for sums in pairs:
        rate = sums.taken / sums.expected
        measured += sums.taken_squared - 2 * rate * sums.taken_expected + rate * rate * sums.expected_squared
        by_chance += rate * sums.variance * (1 - 1 / sums.games)
    return max(measured / by_chance, 1.0) if by_chance else 1.0


def _sum_by_side(values: Mapping[EntrantPair, float], side: int) -> defaultdict[str, float]:
    """Return the sums of the values by caller (side 0) or by accused (side 1)."""
    sums = defaultdict[str, float](float)
    for pair, value in values.items():
        sums[pair[side]] += value
    return sums
