"""Leagues of bots that only call: chances to call are drawn and answered at random, by tendencies that are known."""

from collections.abc import Collection, Sequence
from math import exp, log
from random import Random

from arena.replays.analytics.counts import AnalyticsTotals, SeatAnalytics
from arena.replays.analytics.expected_calls import ChanceCounter

LOOKS = ((20, 0.02), (15, 0.05), (10, 0.1), (8, 0.3), (4, 0.7), (1, 0.95))
"""How many claims of a seat in a game look so to another one, and how often they are called in general."""


def calls_at(chance: float, shift: float) -> float:
    """Return a chance, moved by this much in log odds."""
    return 1 / (1 + exp(-(log(chance / (1 - chance)) + shift)))


class Field:
    """Bots with tendencies: how readily each calls and is called, and what each pair makes of each other."""

    def __init__(self, count: int, random: Random, spread: float = 0.2, pair_spread: float = 0.1) -> None:
        """Spreads are standard deviations of log odds."""
        self.names = [f"bot{number}" for number in range(count)]
        self._random = random
        self._calls = {name: random.gauss(0, 2 * spread) for name in self.names}
        self._called = {name: random.gauss(0, spread) for name in self.names}
        self._tastes = {(c, a): random.gauss(0, pair_spread) for c in self.names for a in self.names}

    def league(
        self, games: int, colluding: Collection[str] = (), spares: float = 1.0, seats: int = 4
    ) -> AnalyticsTotals:
        """Play a number of games with every bot at some table; colluding bots spare each other at the given rate."""
        gathered = AnalyticsTotals()
        for _ in range(games):
            order = self._random.sample(self.names, len(self.names))
            for first in range(0, len(order) - seats + 1, seats):
                names = order[first : first + seats]
                gathered.add_game(names, [self._seat(name, names, colluding, spares) for name in names])
        return gathered

    def _seat(self, caller: str, names: Sequence[str], colluding: Collection[str], spares: float) -> SeatAnalytics:
        choices, mood = ChanceCounter(len(names)), self._random.gauss(0, 0.3)
        for other, accused in enumerate(names):
            if accused == caller:
                continue
            shift = self._calls[caller] + self._called[accused] + self._tastes[caller, accused] + mood
            kept = 1 - spares if caller in colluding and accused in colluding else 1
            for look, (count, chance) in enumerate(LOOKS):
                rate = kept * calls_at(chance, shift)
                for _ in range(count):
                    choices.add_chance(look, other, self._random.random() < rate)
        return SeatAnalytics({"games": [1]}, choices.treatments())
