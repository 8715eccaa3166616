"""Who sits at one table with whom: exchanges people between tables as long as that makes the whole less dear.

What two people cost who sit at one table, or in one block, and what it costs that somebody plays, are whole numbers;
so the result is the same on every machine. It is a local search: no exchange of two people makes the grouping it gives
less dear, though another grouping may be.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GroupingCosts:
    """What a grouping costs; people are numbered from 0. Both matrices are symmetric, with 0 in the diagonal."""

    table: IntArray
    """[a, b]: that these two sit at one table."""
    block: IntArray
    """[a, b]: that they sit in one block, at one table or not."""
    playing: IntArray
    """[a]: that this one plays and does not sit out."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Tables, and who sits out. The table with index t is in the block t modulo `block_count`."""

    tables: tuple[tuple[int, ...], ...]
    sitting_out: tuple[int, ...]
    block_count: int

    def blocks(self) -> list[list[tuple[int, ...]]]:
        """The tables of each block."""
        return [list(self.tables[block :: self.block_count]) for block in range(self.block_count)]


def block_count(table_count: int, most: int) -> int:
    """Into how many blocks tables go, about evenly, with at most so many in each.

    Where that would leave a table alone it joins others, above the most: a block of one table has nothing to compare.

    >>> block_count(8, 4), block_count(5, 4), block_count(3, 2), block_count(3, 1)
    (2, 2, 1, 3)
    """
    wanted = -(-table_count // most)
    return wanted if most == 1 else max(1, min(wanted, table_count // 2))


def total_cost(grouping: Grouping, costs: GroupingCosts) -> int:
    """What a grouping costs."""
    tables = sum(_cost_within(costs.table, table) for table in grouping.tables)
    blocks = sum(_cost_within(costs.block, [one for table in block for one in table]) for block in grouping.blocks())
    return tables + blocks + sum(int(costs.playing[list(table)].sum()) for table in grouping.tables)


def _cost_within(pairs: IntArray, people: Sequence[int]) -> int:
    return int(pairs[np.ix_(people, people)].sum()) // 2


def find_cheapest(starts: Iterable[Grouping], costs: GroupingCosts) -> Grouping:
    """Improve each of these, and take the one that then costs least; among equal ones the first."""
    return min((improve(start, costs) for start in starts), key=lambda found: total_cost(found, costs))


def improve(grouping: Grouping, costs: GroupingCosts) -> Grouping:
    """Exchange two people, always the pair that saves most, until none saves anything."""
    search = _ExchangeSearch(grouping, costs)
    while search.make_best_exchange():
        pass
    return search.grouping()


class _ExchangeSearch:
    """A grouping on its way: where everybody is, and what each would cost anywhere.

    The bench is one group more, in a block of its own, where everything is free.
    """

    def __init__(self, grouping: Grouping, costs: GroupingCosts) -> None:
        self._start, self._costs = grouping, costs
        count = len(grouping.tables)
        self._blocks = np.append(np.arange(count) % grouping.block_count, -1)
        self._group = np.full(len(costs.playing), count)
        for index, table in enumerate(grouping.tables):
            self._group[list(table)] = index
        self._prices = self._initial_costs(count)

    def _initial_costs(self, count: int) -> IntArray:
        """[a, g]: what a costs in group g beside all who are there."""
        at_table = (self._group[:, None] == np.arange(count)).astype(np.int64)
        in_block = (self._blocks[self._group][:, None] == self._blocks[:count]).astype(np.int64)
        prices = self._costs.table @ at_table + self._costs.block @ in_block + self._costs.playing[:, None]
        return np.hstack([prices, np.zeros((len(prices), 1), np.int64)])

    def make_best_exchange(self) -> bool:
        """Make the exchange that saves most; False where none does."""
        changes = self._exchange_deltas()
        best = int(changes.argmin())
        one, other = divmod(best, len(changes))
        if changes[one, other] >= 0:
            return False
        self._move(one, other)
        return True

    def _exchange_deltas(self) -> IntArray:
        """[a, b]: by how much the whole becomes dearer when these two change places."""
        group, blocks = self._group, self._blocks[self._group]
        moved = self._prices[:, group]
        here = np.diagonal(moved)
        plays = (blocks >= 0).astype(np.int64)
        other_block = blocks[:, None] != blocks
        counted_though_gone = (self._costs.table + self._costs.block * other_block) * (plays[:, None] + plays)
        changes: IntArray = moved + moved.T - here[:, None] - here - counted_though_gone
        changes[group[:, None] == group] = 0
        return changes

    def _move(self, one: int, other: int) -> None:
        """Let two people change places, and everybody's prices with them."""
        self._shift(int(self._group[one]), one, other)
        self._shift(int(self._group[other]), other, one)
        self._group[[one, other]] = self._group[[other, one]]

    def _shift(self, group: int, leaver: int, comer: int) -> None:
        block = self._blocks[group]
        if block < 0:
            return
        self._prices[:, group] += self._costs.table[:, comer] - self._costs.table[:, leaver]
        self._prices[:, self._blocks == block] += (self._costs.block[:, comer] - self._costs.block[:, leaver])[:, None]

    def grouping(self) -> Grouping:
        """The grouping as it is now, everybody in the order of numbers."""
        groups = [tuple(np.flatnonzero(self._group == index).tolist()) for index in range(len(self._blocks))]
        return Grouping(tuple(groups[:-1]), groups[-1], self._start.block_count)
