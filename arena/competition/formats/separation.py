"""Computes the costs that keep entrants apart, from games played, owners and other criteria.

The criteria are lexicographic: each outweighs the sum of all that follow. Their order is:

1. games played, unless owners come first;
2. two entrants of one owner at a table;
3. two entrants of one owner in a block;
4. games played, if owners come first;
5. the other criteria.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from arena.competition.formats.grouping import Grouping, GroupingCosts, IntArray
from arena.competition.formats.round_shape import place_players, shape_full_round
from arena.competition.league.field import Field


def build_costs(
    owners: Sequence[Hashable], pairs: IntArray, games: Sequence[int] = (), *, owners_first: bool = False
) -> GroupingCosts:
    """Return the costs of all criteria, combined for `grouping`.

    `owners` and `games` have each player's owner and number of games played. `pairs` [a, b] is the cost if a and b
    share a table. Without `games`, it costs nothing to play or to sit out.
    """
    same, rest = _same_owner_matrix(owners), _shift_to_zero(pairs)
    played = np.array(games or [0] * len(owners), np.int64)
    played -= played.min()
    least = 1 + int(rest.sum())
    block = least * (1 + int(played.sum())) if owners_first else least
    table = block * (1 + int(same.sum()))
    game = least if owners_first else 2 * table * (1 + int(same.sum()))
    return GroupingCosts(rest + table * same, block * same, game * played)


def spread_owners(
    people: Sequence[int], sitting_out: Sequence[int], table_count: int, blocks: int, owners: Sequence[Hashable]
) -> Grouping:
    """Return a grouping. Players are dealt to the tables in turn, and players of one owner come one after another.

    So no two players of an owner share a table, unless the owner has more players than there are tables.
    """
    first = {owners[one]: index for index, one in reversed(list(enumerate(people)))}
    ordered = sorted(people, key=lambda one: first[owners[one]])
    tables = tuple(tuple(ordered[index::table_count]) for index in range(table_count))
    return Grouping(tables, tuple(sitting_out), blocks)


def start_apart(playing: Sequence[str], field: Field, most: int) -> Grouping:
    """Return a grouping of all these entrants in which owners are apart, in blocks of at most `most` tables.

    If the owners cannot be kept apart, they are spread evenly over the tables.
    """
    owner_of, people = field.owners(), range(len(playing))
    owners = [owner_of[name] for name in playing]
    shape = shape_full_round(owners if field.keeps_owners_apart else playing, field.seats, most)
    if shape.is_strict:
        return place_players(people, (), shape, field.seats, owners)
    return spread_owners(people, (), shape.tables, shape.blocks, owners)


def _same_owner_matrix(owners: Sequence[Hashable]) -> IntArray:
    codes = {owner: index for index, owner in enumerate(dict.fromkeys(owners))}
    coded = np.array([codes[owner] for owner in owners], np.int64)
    same: IntArray = (coded[:, None] == coded).astype(np.int64)
    np.fill_diagonal(same, 0)
    return same


def _shift_to_zero(pairs: IntArray) -> IntArray:
    """Return the costs minus the smallest cost. All groupings have equally many pairs, so all totals fall equally."""
    others = ~np.eye(len(pairs), dtype=bool)
    least = int(pairs[others].min()) if len(pairs) > 1 else 0
    rest: IntArray = np.multiply(pairs - least, others, dtype=np.int64)
    return rest
