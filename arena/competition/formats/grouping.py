"""Groups players into tables by local search: it swaps two players as long as that lowers the total cost.

There is a cost for two players that share a table or a block, and a cost for each player that plays. All costs are
whole numbers, so that the result is the same on every machine. The result is a local minimum: no swap of two players
lowers its cost, but another grouping may be cheaper.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GroupingCosts:
    """Costs of a grouping. Players are numbered from 0. Both matrices are symmetric, with 0 on the diagonal."""

    table: IntArray
    """[a, b]: the cost if a and b share a table."""
    block: IntArray
    """[a, b]: the cost if a and b share a block, whether or not at the same table."""
    playing: IntArray
    """[a]: the cost if a plays instead of sitting out."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """The tables, and the players that sit out. Table t is in block t modulo `block_count`."""

    tables: tuple[tuple[int, ...], ...]
    sitting_out: tuple[int, ...]
    block_count: int

    def blocks(self) -> list[list[tuple[int, ...]]]:
        """Return the tables of each block."""
        return [list(self.tables[block :: self.block_count]) for block in range(self.block_count)]


def block_count(table_count: int, most: int) -> int:
    """Return the number of blocks of about equal size that these tables form, with at most `most` tables each.

    A block of one table has nothing to compare with. So a table that would be alone joins another block, which may then
    exceed `most`. If `most` is 1, every table is alone.

    >>> block_count(8, 4), block_count(5, 4), block_count(3, 2), block_count(3, 1)
    (2, 2, 1, 3)
    """
    wanted = -(-table_count // most)
    return wanted if most == 1 else max(1, min(wanted, table_count // 2))


def total_cost(grouping: Grouping, costs: GroupingCosts) -> int:
    tables = sum(_cost_within(costs.table, table) for table in grouping.tables)
    blocks = sum(_cost_within(costs.block, [one for table in block for one in table]) for block in grouping.blocks())
    return tables + blocks + sum(int(costs.playing[list(table)].sum()) for table in grouping.tables)


def _cost_within(pairs: IntArray, people: Sequence[int]) -> int:
    return int(pairs[np.ix_(people, people)].sum()) // 2


def find_cheapest(starts: Iterable[Grouping], costs: GroupingCosts) -> Grouping:
    """Improve each start, and return the cheapest result; of several equally cheap ones, the first."""
    return min((improve(start, costs) for start in starts), key=lambda grouping: total_cost(grouping, costs))


def improve(grouping: Grouping, costs: GroupingCosts) -> Grouping:
    """Return a grouping in which no swap saves anything. Each step swaps the two players that save the most."""
    search = _SwapSearch(grouping, costs)
    while search.make_best_swap():
        pass
    return search.grouping()


class _SwapSearch:
    """A grouping during the search: the group of each player, and the cost of each player in each group.

    The players that sit out are one more group, in a block of its own, where everything costs 0.
    """

    def __init__(self, grouping: Grouping, costs: GroupingCosts) -> None:
        self._start, self._costs = grouping, costs
        count = len(grouping.tables)
        self._blocks = np.append(np.arange(count) % grouping.block_count, -1)
        self._group = np.full(len(costs.playing), count)
        for index, table in enumerate(grouping.tables):
            self._group[list(table)] = index
        self._costs_by_group = self._initial_costs(count)

    def _initial_costs(self, count: int) -> IntArray:
        """Return the matrix [a, g]: the cost of player a in group g with the group's current members."""
        at_table = (self._group[:, None] == np.arange(count)).astype(np.int64)
        in_block = (self._blocks[self._group][:, None] == self._blocks[:count]).astype(np.int64)
        costs = self._costs.table @ at_table + self._costs.block @ in_block + self._costs.playing[:, None]
        return np.hstack([costs, np.zeros((len(costs), 1), np.int64)])

    def make_best_swap(self) -> bool:
        """Make the swap that saves the most. Return whether any swap saves something."""
        changes = self._swap_deltas()
        best = int(changes.argmin())
        one, other = divmod(best, len(changes))
        if changes[one, other] >= 0:
            return False
        self._update_costs(int(self._group[one]), one, other)
        self._update_costs(int(self._group[other]), other, one)
        self._group[[one, other]] = self._group[[other, one]]
        return True

    def _swap_deltas(self) -> IntArray:
        """Return the matrix [a, b]: the change of the total cost if a and b swap places."""
        group, blocks = self._group, self._blocks[self._group]
        moved = self._costs_by_group[:, group]
        here = np.diagonal(moved)
        plays = (blocks >= 0).astype(np.int64)
        other_block = blocks[:, None] != blocks
        counted_though_gone = (self._costs.table + self._costs.block * other_block) * (plays[:, None] + plays)
        changes: IntArray = moved + moved.T - here[:, None] - here - counted_though_gone
        changes[group[:, None] == group] = 0
        return changes

    def _update_costs(self, group: int, leaver: int, joiner: int) -> None:
        """Update the costs of all players for a group in which `joiner` replaces `leaver`."""
        block = self._blocks[group]
        if block < 0:
            return
        self._costs_by_group[:, group] += self._costs.table[:, joiner] - self._costs.table[:, leaver]
        block_change = self._costs.block[:, joiner] - self._costs.block[:, leaver]
        self._costs_by_group[:, self._blocks == block] += block_change[:, None]

    def grouping(self) -> Grouping:
        """Return the current grouping, with the players of each table in ascending order."""
        groups = [tuple(np.flatnonzero(self._group == index).tolist()) for index in range(len(self._blocks))]
        return Grouping(tuple(groups[:-1]), groups[-1], self._start.block_count)
