"""Decides how many tables and blocks a round has, so that no two entrants of one owner are in the same block.

Two bots of one owner that play a deal at two tables know two hands of it. They can find out outside the arena that they
share it: hands of one deal never overlap (with one pack), those of two deals usually do. Whatever else a schedule
balances yields to this, in this order:

1. who meets whom, and who sits where;
2. the number of tables in a block, down to one;
3. the number of games of each entrant: if an owner has more entrants than a round has tables, these take turns. They
   then play less often than the others, but at least half as often.

If all this is not enough, the owners cannot be kept apart. Then every block has one table, so that at least no deal is
seen at two tables, and the entrants of an owner are spread evenly over the tables.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.competition.formats.grouping import Grouping, block_count

MAX_GAMES_RATIO = 2
"""How many times as often as an entrant that takes turns another entrant may play."""


@dataclass(frozen=True, slots=True)
class RoundShape:
    """The number of tables and blocks of a round. Table t is in block t modulo `blocks`."""

    tables: int
    blocks: int
    is_strict: bool = False
    """Whether owners have several entrants, and no two of them may be in the same block."""

    def block_sizes(self, size: int) -> list[int]:
        """Return the number of players of each block, the largest first. `size` is the number at a table."""
        return [size * len(range(block, self.tables, self.blocks)) for block in range(self.blocks)]


NO_ROUND = RoundShape(0, 0)


def shape_round(owners: Sequence[Hashable], size: int, most: int, left: int) -> RoundShape:
    """Return the shape of a round in which entrants with these owners take turns, `size` of them at each table.

    A block has at most `most` tables, and the round at most `left`. A table that would be alone in its block is not
    played, unless all blocks have one table.
    """
    counts = Counter(owners).values()
    whole = _shape_with_turns(counts, size, most)
    tables = min(whole.tables, left)
    if whole.tables in (tables, whole.blocks):
        return RoundShape(tables, min(tables, whole.blocks), whole.is_strict)
    for fewer in range(tables, 1, -1):
        for blocks in range(block_count(fewer, most), fewer // 2 + 1):
            shape = RoundShape(fewer, blocks, whole.is_strict)
            if _has_room(shape, size, counts):
                return shape
    return NO_ROUND


def shape_full_round(owners: Sequence[Hashable], size: int, most: int) -> RoundShape:
    """Return the shape of a round of full tables that leaves over as few entrants as possible, whoever they are."""
    counts = Counter(owners).values()
    return _shape_without_turns(counts, size, most) or _inseparable(len(owners) // size)


def choose_players(order: Sequence[int], shape: RoundShape, size: int, owners: Sequence[Hashable]) -> list[int]:
    """Return the players of a strict round, the first of the order that fit into its blocks.

    The sets that fit are the independent sets of a matroid, so taking each player that still fits is best.
    """
    sizes, players, counts = shape.block_sizes(size), list[int](), Counter[Hashable]()
    for one in order:
        counts[owners[one]] += 1
        if len(players) < sum(sizes) and _fit(counts.values(), sizes):
            players.append(one)
        else:
            counts[owners[one]] -= 1
    return players


def place_players(
    players: Sequence[int], sitting_out: Sequence[int], shape: RoundShape, size: int, owners: Sequence[Hashable]
) -> Grouping:
    """Return a grouping in which no two players of an owner are in a block. There has to be one (`choose_players`).

    The owners with the most players come first. Each puts its players into the blocks with the most free seats.
    """
    free, members = shape.block_sizes(size), [list[int]() for _ in range(shape.blocks)]
    groups: dict[Hashable, list[int]] = {}
    for one in players:
        groups.setdefault(owners[one], []).append(one)
    for group in sorted(groups.values(), key=len, reverse=True):
        roomiest = sorted(range(shape.blocks), key=lambda block: -free[block])
        for one, block in zip(group, roomiest, strict=False):
            members[block].append(one)
            free[block] -= 1
    tables = (
        tuple(members[table % shape.blocks][table // shape.blocks * size :][:size]) for table in range(shape.tables)
    )
    return Grouping(tuple(tables), tuple(sitting_out), shape.blocks)


# ---- inside


def _shape_with_turns(counts: Collection[int], size: int, most: int) -> RoundShape:
    full = sum(counts) // size if size else 1
    if shape := _shape_without_turns(counts, size, most):
        return shape
    for tables in range(full, 0, -1):
        shape = RoundShape(tables, tables, is_strict=True)
        if _has_room(shape, size, counts) and _is_fair(counts, tables, size):
            return shape
    return _inseparable(full)


def _shape_without_turns(counts: Collection[int], size: int, most: int) -> RoundShape | None:
    """Return a shape that keeps owners apart, whoever sits out. Return None if there is none."""
    full = sum(counts) // size if size else 1
    if not full or not size or max(counts) == 1:
        return RoundShape(full, block_count(full, most)) if full else NO_ROUND
    over = sum(counts) - full * size
    shared = range(block_count(full, most), full // 2 + 1) if most > 1 else ()
    for blocks in (*shared, full):
        shape = RoundShape(full, blocks, is_strict=True)
        if max(counts) <= blocks and (blocks == full or _has_room(shape, size, counts, over)):
            return shape
    return None


def _inseparable(tables: int) -> RoundShape:
    return RoundShape(tables, tables)


def _has_room(shape: RoundShape, size: int, counts: Collection[int], over: int = 0) -> bool:
    """Return whether owners can fill the blocks, even if any `over` of their entrants sit out.

    `counts` has the number of entrants of each owner. An owner has at most one seat in a block. By the theorem of Gale
    and Ryser, the blocks can be filled if no set of blocks has more seats than entrants who may sit there.
    """
    sizes = shape.block_sizes(size)
    return all(
        sum(sizes[:blocks]) <= sum(min(count, blocks) for count in counts) - (over if blocks < shape.blocks else 0)
        for blocks in range(1, shape.blocks)
    ) and sum(sizes) <= sum(min(count, shape.blocks) for count in counts)


def _fit(counts: Collection[int], sizes: Sequence[int]) -> bool:
    """Return whether all players fit into blocks of these sizes, with no owner twice in a block.

    `counts` has the number of players of each owner.
    """
    total = 0
    for owners, count in enumerate(sorted(counts, reverse=True), start=1):
        total += count
        if total > sum(min(size, owners) for size in sizes):
            return False
    return True


def _is_fair(counts: Collection[int], tables: int, size: int) -> bool:
    """Return whether entrants that take turns play often enough if each owner has one entrant at each table."""
    seats, people = tables * size, sum(counts)
    for count in sorted(counts, reverse=True):
        if seats * count <= tables * people:
            break
        seats, people = seats - tables, people - count
    share = Fraction(seats, people) if people else Fraction(tables, min(counts))
    return share <= MAX_GAMES_RATIO * Fraction(tables, max(counts))
