"""The results of earlier rounds: who played, who met whom, and the points made."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from arena.league.formats.grouping import IntArray
from arena.league.model import BlockResult, TableResult
from arena.league.points import place_points


class RoundHistory:
    """The results of all rounds before one; later results are ignored."""

    def __init__(self, history: Iterable[BlockResult], before: int) -> None:
        """Take results in any order, each block once."""
        past = (result for result in history if result.block.round < before)
        self.results = sorted(past, key=lambda result: result.block.number)
        """Results in schedule order."""
        self._tables: dict[int, list[TableResult]] = {}
        for result in self.results:
            self._tables.setdefault(result.block.round, []).extend(result.tables)

    @property
    def next_block_number(self) -> int:
        """Number of the next block."""
        return self.results[-1].block.number + 1 if self.results else 1

    def tables(self, number: int) -> list[TableResult]:
        """Return the tables of a round."""
        return self._tables.get(number, [])

    def mean_points(self, number: int) -> dict[str, float]:
        """Return the mean place points in a round by name."""
        return mean_points(self.tables(number))

    def meeting_counts(self, names: Sequence[str], since: int = 1) -> IntArray:
        """Return the matrix [a, b]: number of rounds, from `since` on, in which the two shared a table."""
        index = {name: position for position, name in enumerate(names)}
        matrix = np.zeros((len(names), len(names)), np.int64)
        for (one, other), count in self._pairs(since).items():
            if one in index and other in index:
                matrix[index[one], index[other]] = matrix[index[other], index[one]] = count
        return matrix

    def _pairs(self, since: int) -> Counter[tuple[str, str]]:
        counts: Counter[tuple[str, str]] = Counter()
        for number in range(since, max(self._tables, default=0) + 1):
            counts.update({pair for table in self.tables(number) for pair in combinations(sorted(table.seats), 2)})
        return counts


def mean_points(tables: Iterable[TableResult]) -> dict[str, float]:
    """Return the mean place points (0 to 1) by name, rounded to nine decimals so that equal means compare equal."""
    made: dict[str, list[float]] = {}
    for table in tables:
        for name, each in zip(table.seats, place_points(table.places), strict=True):
            made.setdefault(name, []).append(each)
    return {name: round(sum(each) / len(each), 9) for name, each in made.items()}
