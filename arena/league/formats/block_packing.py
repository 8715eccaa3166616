"""Sets of people come into blocks with sets that share nobody with them, so that no set is left alone.

First whatever fits comes together, in order. Then each that is left alone looks for a place: with another one, in a
block that has room, beside a set of a larger block; where there is none it takes the place of a set in a block of two,
and that one looks on.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice

EntrantSet = frozenset[str]
PackedBlock = list[EntrantSet]
"""The sets of one block."""

_MAX_EXCHANGE_PASSES = 20
"""How often a chain of exchanges may go round all blocks; with few sets that fit, as at N = 2n + 1, it goes once."""


def pack_into_blocks(
    batches: Iterable[Sequence[EntrantSet]], most: int, owners: Mapping[str, str]
) -> list[PackedBlock]:
    """Put all sets into blocks of at most `most`, 2 or more; no two in a block share anybody.

    Sets are placed batch by batch, in order; what is left alone of one batch waits for the next. Sets that share an
    owner (`owners`, by name) come into one block only where no others of their batch fit; a block may have three sets
    where else one would be left alone. Blocks of one remain where no place has been found.
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
    """Pack sets that share no owner; where owners have several names in pairs only, the hardest to place first.

    So that sets which fit all others are not used up where they are not needed.
    """
    counts = Counter(owners.values())
    reach = {people: frozenset(owners[name] for name in people) for people in batch}
    hardest = sorted(batch, key=lambda people: -sum(counts[owner] - 1 for owner in reach[people]))
    return _pack_greedily(hardest, most if max(counts.values()) == 1 else 2, reach)


def _pack_greedily(
    waiting: Sequence[EntrantSet], most: int, reach: Mapping[EntrantSet, frozenset[str]] | None = None
) -> tuple[list[PackedBlock], PackedBlock]:
    """Begin a block with the first set that has none, and fill it with the first ones that fit; then those left alone.

    Sets fit that do not overlap in `reach`, or in people where that is not given.
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
    """Fill one block, and give the sets that are left."""
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
    """Find a place for one set, by a chain of exchanges if need be; gives the set that has none in the end, if any."""
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
    """Put a set where it fits, if anywhere: with another one, where there is room, or with one of three."""
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
    """Take a place in a block of two, and give who had it; None where neither stays beside it."""
    for stays, leaves in ((0, 1), (1, 0)):
        if one.isdisjoint(cell[stays]):
            leaver, cell[leaves] = cell[leaves], one
            return leaver
    return None
