"""Computes how many calls a seat would make against every other seat if it chose regardless of the opponent.

A *stratum* is a set of chances that a seat had in one game and that looked alike to the seat. A seat that chooses
regardless of the opponent picks its calls in a stratum like balls from an urn. Suppose that the seat took K of N
chances, and that n of the N chances were against one opponent. Then the expected number of calls against that opponent
is n K / N. Its variance is the variance of the hypergeometric distribution (N. Mantel and W. Haenszel, J. Natl. Cancer
Inst. 22, 1959, p. 719). If a bot calls more or less in a whole game, that effect cancels out. No rate has to be known
in advance.
"""

from collections.abc import Hashable, Iterable

from arena.replays.analytics.counts import PairTreatment

_CHANCES, _TAKEN = 0, 1


class ChanceCounter:
    """Collects the chances of one seat in one game."""

    def __init__(self, seat_count: int) -> None:
        self._seat_count = seat_count
        self._strata: dict[Hashable, list[list[int]]] = {}

    def add_chance(self, stratum: Hashable, other: int, is_taken: bool) -> None:
        """Count a chance to call or attack another seat."""
        rows = self._strata.get(stratum)
        if rows is None:
            rows = self._strata[stratum] = [[0, 0] for _ in range(self._seat_count)]
        row = rows[other]
        row[_CHANCES] += 1
        row[_TAKEN] += is_taken

    def add_choice(self, others: Iterable[int], taken: int) -> None:
        """Count a choice of one among several seats. Each choice is a stratum of its own."""
        stratum = len(self._strata)
        for other in others:
            self.add_chance(stratum, other, other == taken)

    def treatments(self) -> tuple[PairTreatment, ...]:
        """Return the actual and expected calls against every other seat."""
        totals = [[0.0, 0.0, 0.0, 0.0] for _ in range(self._seat_count)]
        for rows in self._strata.values():
            chances, taken = (sum(row[column] for row in rows) for column in (_CHANCES, _TAKEN))
            spread = taken * (chances - taken) / (chances * chances * (chances - 1)) if chances > 1 else 0.0
            for total, (own, own_taken) in zip(totals, rows, strict=True):
                if own:
                    total[0] += own
                    total[1] += own_taken
                    total[2] += own * taken / chances
                    total[3] += own * (chances - own) * spread
        return tuple(PairTreatment(*total) for total in totals)
