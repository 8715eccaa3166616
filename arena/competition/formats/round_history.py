"""The results of earlier rounds: who played, who met whom, and with how many points."""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from arena.competition.formats.grouping import IntArray
from arena.competition.league.model import BlockResult, TableResult
from arena.competition.league.points import place_points


class RoundHistory:
    """The results of all rounds before a given round."""

    def __init__(self, history: Iterable[BlockResult], before: int) -> None:
        """Take results in any order, each block once. Results of round `before` and later ones are ignored."""
        past = (result for result in history if result.block.round < before)
        self.results = sorted(past, key=lambda result: result.block.number)
        """Results in schedule order."""
        self._tables: dict[int, list[TableResult]] = {}
        for result in self.results:
            self._tables.setdefault(result.block.round, []).extend(result.tables)

    @property
    def next_block_number(self) -> int:
        return self.results[-1].block.number + 1 if self.results else 1

    def tables(self, number: int) -> list[TableResult]:
        return self._tables.get(number, [])

    def mean_points(self, number: int) -> dict[str, float]:
        """Return each player's mean place points in a round, by name."""
        return mean_points(self.tables(number))

    def meeting_counts(self, names: Sequence[str], since: int = 1) -> IntArray:
        """Return the matrix [a, b]: the number of rounds, from `since` on, in which a and b shared a table."""
        index = {name: position for position, name in enumerate(names)}
        matrix = np.zeros((len(names), len(names)), np.int64)
        for number in range(since, max(self._tables, default=0) + 1):
            pairs = {pair for table in self.tables(number) for pair in combinations(sorted(table.seats), 2)}
            for one, other in pairs:
                if one in index and other in index:
                    matrix[index[one], index[other]] += 1
                    matrix[index[other], index[one]] += 1
        return matrix


def mean_points(tables: Iterable[TableResult]) -> dict[str, float]:
    """Return each player's mean place points (0 to 1), by name.

    The means are rounded to nine decimals, so that equal means compare equal.
    """
    points: dict[str, list[float]] = {}
    for table in tables:
        for name, each in zip(table.seats, place_points(table.places), strict=True):
            points.setdefault(name, []).append(each)
    return {name: round(sum(each) / len(each), 9) for name, each in points.items()}
