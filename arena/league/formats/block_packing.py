"""Packing sets of entrants into blocks of disjoint sets, so that no set is alone in its block.

First, sets that fit are packed greedily, in order. Then a place is sought for each set left alone: with another single
one, in a block with room, or beside a set taken from a larger block; failing that, it replaces a set in a block of two,
and the search goes on for the replaced set.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice

EntrantSet = frozenset[str]
PackedBlock = list[EntrantSet]
"""The sets of one block."""

_MAX_EXCHANGE_PASSES = 20
"""Limit of passes over all blocks for a chain of exchanges; one suffices where few sets fit, as at N = 2n + 1."""


def pack_into_blocks(
    batches: Iterable[Sequence[EntrantSet]], most: int, owners: Mapping[str, str]
) -> list[PackedBlock]:
    """Return blocks of at most `most` (2 or more) disjoint sets that together hold all sets.

    Sets are placed batch by batch, in order; sets left alone in one batch wait for the next. Sets that share an owner
    (`owners`, by name) share a block only where no others of their batch fit; a block may have three sets if one would
    otherwise be alone. Blocks of one remain where no place was found.
    """
    cells: list[PackedBlock] = []
    alone: list[EntrantSet] = []
    for batch in batches:
        apart, strict = _pack_by_owner(batch, most, owners)
        left, alone = _pack_greedily([*alone, *strict], most)
        cells += apart + left
    left_over = []
    while alone:
        left_over += _place_by_exchanges(alone.pop(0), alone, cells, max(most, 3))
    return [*cells, *([one] for one in left_over)]


def _pack_by_owner(
    batch: Sequence[EntrantSet], most: int, owners: Mapping[str, str]
) -> tuple[list[PackedBlock], PackedBlock]:
    """Pack sets that share no owner, the hardest to place first; only in pairs if an owner has several names.

    This order saves the sets that fit all others for where they are needed.
    """
    counts = Counter(owners.values())
    reach = {people: frozenset(owners[name] for name in people) for people in batch}
    hardest = sorted(batch, key=lambda people: -sum(counts[owner] - 1 for owner in reach[people]))
    return _pack_greedily(hardest, most if max(counts.values()) == 1 else 2, reach)


def _pack_greedily(
    waiting: Sequence[EntrantSet], most: int, reach: Mapping[EntrantSet, frozenset[str]] | None = None
) -> tuple[list[PackedBlock], PackedBlock]:
    """Start each block with the first unplaced set and fill it with the first that fit; return blocks and single sets.

    Sets fit if they do not overlap in `reach`, or in their members if `reach` is not given.
    """
    cells: list[PackedBlock] = []
    alone: PackedBlock = []
    while waiting:
        cell, waiting = _fill_block(waiting, most, reach or {})
        if len(cell) > 1:
            cells.append(cell)
        else:
            alone += cell
    return cells, alone


def _fill_block(
    waiting: Sequence[EntrantSet], most: int, reach: Mapping[EntrantSet, frozenset[str]]
) -> tuple[PackedBlock, Sequence[EntrantSet]]:
    """Fill one block; return it and the remaining sets."""
    first = waiting[0]
    cell, left = [first], list[EntrantSet]()
    taken = set(reach.get(first, first))
    for index, people in enumerate(waiting[1:], start=1):
        if len(cell) == most:
            return cell, [*left, *waiting[index:]]
        theirs = reach.get(people, people)
        if taken.isdisjoint(theirs):
            cell.append(people)
            taken |= theirs
        else:
            left.append(people)
    return cell, left


def _place_by_exchanges(one: EntrantSet, alone: PackedBlock, cells: list[PackedBlock], most: int) -> PackedBlock:
    """Place one set, by a chain of exchanges if needed. Return the set left without a place, if any."""
    if _try_place(one, alone, cells, most):
        return []
    pairs = [cell for cell in cells if len(cell) == 2]
    for cell in islice(cycle(pairs), _MAX_EXCHANGE_PASSES * len(pairs)):
        if leaver := _swap_into_pair(one, cell):
            one = leaver
            if _try_place(one, alone, cells, most):
                return []
    return [one]


def _try_place(one: EntrantSet, alone: PackedBlock, cells: list[PackedBlock], most: int) -> bool:
    """Place a set with a single one, in a block with room, or beside one set of a larger block, if it fits."""
    for other in alone:
        if one.isdisjoint(other):
            alone.remove(other)
            cells.append([one, other])
            return True
    for cell in cells:
        fitting = [people for people in cell if one.isdisjoint(people)]
        if len(fitting) == len(cell) < most:
            cell.append(one)
            return True
        if fitting and len(cell) > 2:
            cell.remove(fitting[0])
            cells.append([one, fitting[0]])
            return True
    return False


def _swap_into_pair(one: EntrantSet, cell: PackedBlock) -> EntrantSet | None:
    """Replace one set in a block of two, and return the replaced set; None if it fits beside neither."""
    for stays, leaves in ((0, 1), (1, 0)):
        if one.isdisjoint(cell[stays]):
            leaver, cell[leaves] = cell[leaves], one
            return leaver
    return None
