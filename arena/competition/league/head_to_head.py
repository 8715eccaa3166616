"""Counts how entrants finished against each other at shared tables, and groups the entrants that such tables link."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from arena.competition.league.model import BlockResult


@dataclass(frozen=True, slots=True, eq=False)
class HeadToHead:
    """The head-to-head record of every pair. Rows and columns are in the order of the names."""

    names: tuple[str, ...]
    games: NDArray[np.float64] = field(repr=False)
    """Number of tables at which both sat."""
    ahead: NDArray[np.float64] = field(repr=False)
    """Number of tables at which the row's entrant finished ahead of the column's. A shared place counts half."""

    @classmethod
    def from_results(
        cls, names: Sequence[str], results: Iterable[BlockResult], *, leaves_out_last_tie: bool = False
    ) -> "HeadToHead":
        """Return the record of the meetings of these entrants with each other. All other entrants are left out.

        If `leaves_out_last_tie`, those who share the last place of a table have not met there.
        """
        index = {name: number for number, name in enumerate(names)}
        games, ahead = np.zeros((2, len(names), len(names)))
        for table in (table for result in results for table in result.tables):
            seats = zip(table.seats, table.places, strict=True)
            present = [(index[name], place) for name, place in seats if name in index]
            last = max(table.places) if leaves_out_last_tie else None
            for (one, mine), (other, its) in permutations(present, 2):
                if mine == its == last:
                    continue
                games[one, other] += 1
                ahead[one, other] += (mine < its) + (mine == its) / 2
        return cls(tuple(names), games, ahead)

    def __add__(self, other: "HeadToHead") -> "HeadToHead":
        """Return the sum of two records, which must have the same entrants in the same order."""
        return HeadToHead(self.names, self.games + other.games, self.ahead + other.ahead)

    def share_ahead(self, row: int, column: int) -> float | None:
        """Return the share of meetings in which `row` finished ahead of `column`, 0 to 1; None if they never met."""
        games = self.games[row, column]
        return float(self.ahead[row, column] / games) if games else None

    def overall_share_ahead(self, row: int) -> float | None:
        """Return the share of all meetings of `row` in which it finished ahead, 0 to 1; None if it met nobody."""
        games = self.games[row].sum()
        return float(self.ahead[row].sum() / games) if games else None

    def linked_groups(self) -> tuple[int, ...]:
        """Return the group number of each name, from 0. Entrants linked by a chain of shared tables share a group."""
        group = [-1] * len(self.names)
        for first in range(len(group)):
            waiting = [first] if group[first] < 0 else []
            number = max(group) + 1
            while waiting:
                member = waiting.pop()
                group[member] = number
                waiting += [int(other) for other in np.flatnonzero(self.games[member]) if group[other] < 0]
        return tuple(group)
