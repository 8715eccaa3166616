"""Costs that keep entrants apart: for two entrants who meet in a round, by their owners and other criteria.

The criteria are lexicographic, each outweighing the sum of all below it: games played, then owners at a table, then
owners in a block, then the rest.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from arena.league.formats.grouping import Grouping, GroupingCosts, IntArray, block_count


def build_costs(owners: Sequence[Hashable], pairs: IntArray, games: Sequence[int] = ()) -> GroupingCosts:
    """Return the combined costs. `owners` and `games` are by player, `pairs` [a, b] is the cost of sharing a table.

    Without `games`, playing and sitting out cost nothing.
    """
    same, rest = _same_owner_matrix(owners), _shift_to_zero(pairs)
    block = 1 + int(rest.sum())
    table = block * (1 + int(same.sum()))
    game = 2 * table * (1 + int(same.sum()))
    played = np.array(games or [0] * len(owners), np.int64)
    return GroupingCosts(rest + table * same, block * same, game * (played - played.min()))


def spread_owners(
    people: Sequence[int], sitting_out: Sequence[int], table_count: int, most: int, owners: Sequence[Hashable]
) -> Grouping:
    """Deal players over tables one by one, those of one owner in a row, so that they come to different tables.

    If no owner has more players than there are tables, no two of an owner share one.
    """
    first = {owners[one]: index for index, one in reversed(list(enumerate(people)))}
    ordered = sorted(people, key=lambda one: first[owners[one]])
    tables = tuple(tuple(ordered[index::table_count]) for index in range(table_count))
    return Grouping(tables, tuple(sitting_out), block_count(table_count, most))


def _same_owner_matrix(owners: Sequence[Hashable]) -> IntArray:
    codes = {owner: index for index, owner in enumerate(dict.fromkeys(owners))}
    coded = np.array([codes[owner] for owner in owners], np.int64)
    same: IntArray = (coded[:, None] == coded).astype(np.int64)
    np.fill_diagonal(same, 0)
    return same


def _shift_to_zero(pairs: IntArray) -> IntArray:
    """Return the costs minus the smallest one, which changes no comparison: all groupings have equally many pairs."""
    others = ~np.eye(len(pairs), dtype=bool)
    least = int(pairs[others].min()) if len(pairs) > 1 else 0
    rest: IntArray = np.multiply(pairs - least, others, dtype=np.int64)
    return rest
