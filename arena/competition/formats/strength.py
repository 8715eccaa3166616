"""Estimates strengths during a ladder, with openskill's Plackett-Luce model and its defaults.

The model is that of R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", JMLR 12 (2011).
These numbers only decide who plays whom.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import is_

from openskill.models import PlackettLuce

from arena.competition.league.model import BlockResult, TableResult

_MODEL = PlackettLuce()

_DECIMALS = 9
"""Updates are rounded to this many decimals, so machines whose exp differs in the last bit draw the same tables."""


@dataclass(frozen=True, slots=True)
class Strength:
    """A mean and its uncertainty, in the model's points."""

    mean: float = _MODEL.mu
    deviation: float = _MODEL.sigma

    def gap(self, other: "Strength") -> float:
        """Return the distance of two strengths, in standard deviations of the outcome of a game between them.

        The distance is the argument of the model's win probability, |a - b| / sqrt(2 beta² + sa² + sb²), with means a
        and b and deviations sa and sb. The distance is 0 for equal means, and small if little is known about the two
        entrants.
        """
        spread = 2 * _MODEL.beta**2 + self.deviation**2 + other.deviation**2
        return float(abs(self.mean - other.mean) / spread**0.5)


class StrengthTracker:
    """Computes strengths from results. It remembers earlier results, so that only new ones have to be computed."""

    def __init__(self) -> None:
        self._past: list[BlockResult] = []
        self._now: dict[str, Strength] = {}

    def strengths_after(self, results: Sequence[BlockResult]) -> dict[str, Strength]:
        """Return each name's strength after these results, which must be in schedule order."""
        if len(results) < len(self._past) or not all(map(is_, self._past, results)):
            self._past, self._now = [], {}
        for result in results[len(self._past) :]:
            for table in result.tables:
                self._now |= _update(table, self._now)
            self._past.append(result)
        return dict(self._now)


def _update(table: TableResult, now: dict[str, Strength]) -> dict[str, Strength]:
    """Return the strengths of a table's players after its game. No player sits at two tables of a block."""
    before = [now.get(name, Strength()) for name in table.seats]
    teams = [[_MODEL.rating(mu=each.mean, sigma=each.deviation)] for each in before]
    after = _MODEL.rate(teams, ranks=[float(place) for place in table.places])
    return {
        name: Strength(round(rating.mu, _DECIMALS), round(rating.sigma, _DECIMALS))
        for name, (rating,) in zip(table.seats, after, strict=True)
    }
