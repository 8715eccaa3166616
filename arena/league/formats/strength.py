"""Estimated strengths during a ladder: openskill's Plackett-Luce model, one update per block.

R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", JMLR 12 (2011); openskill's defaults.
These numbers only decide the seating.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import is_

from openskill.models import PlackettLuce

from arena.league.model import BlockResult, TableResult

_MODEL = PlackettLuce()

_DECIMALS = 9
"""Decimals kept after each update, so that machines whose exp differs in the last bit draw the same seating."""


@dataclass(frozen=True, slots=True)
class Strength:
    """A mean and its uncertainty, in the model's points."""

    mean: float = _MODEL.mu
    deviation: float = _MODEL.sigma

    def gap(self, other: "Strength") -> float:
        """Return the distance of two strengths, in standard deviations of a game's outcome between them.

        It is the argument of the model's win probability, |a - b| / sqrt(2 beta² + sa² + sb²) with means a, b and
        deviations sa, sb: 0 for equal means, and small if little is known of the two.
        """
        spread = 2 * _MODEL.beta**2 + self.deviation**2 + other.deviation**2
        return float(abs(self.mean - other.mean) / spread**0.5)


class StrengthTracker:
    """Strengths after results. Remembers the last history, so that a longer one costs only its new results."""

    def __init__(self) -> None:
        self._past: list[BlockResult] = []
        self._now: dict[str, Strength] = {}

    def strengths_after(self, results: Sequence[BlockResult]) -> dict[str, Strength]:
        """Return the strengths by name after these results, which are in schedule order."""
        if len(results) < len(self._past) or not all(map(is_, self._past, results)):
            self._past, self._now = [], {}
        for result in results[len(self._past) :]:
            for table in result.tables:
                self._now |= _update(table, self._now)
            self._past.append(result)
        return dict(self._now)


def _update(table: TableResult, now: dict[str, Strength]) -> dict[str, Strength]:
    """Return the strengths of a table's players after its game; no player sits at two tables of a block."""
    before = [now.get(name, Strength()) for name in table.seats]
    teams = [[_MODEL.rating(mu=each.mean, sigma=each.deviation)] for each in before]
    after = _MODEL.rate(teams, ranks=[float(place) for place in table.places])
    return {name: _round_strength(rating.mu, rating.sigma) for name, (rating,) in zip(table.seats, after, strict=True)}


def _round_strength(mean: float, deviation: float) -> Strength:
    return Strength(round(mean, _DECIMALS), round(deviation, _DECIMALS))
