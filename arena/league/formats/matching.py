"""Sets of people come into blocks with sets that share nobody with them, so that no set is left alone.

First whatever fits comes together, in order. Then each that is left alone looks for a place: with another one, in a
block that has room, beside a set of a larger block; where there is none it takes the place of a set in a block of two,
and that one looks on.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice

People = frozenset[str]
Cell = list[People]
"""The sets of one block."""

_PATIENCE = 20
"""How often a chain of exchanges may go round all blocks; with few sets that fit, as at N = 2n + 1, it goes once."""


def matched(batches: Iterable[Sequence[People]], most: int, owners: Mapping[str, str]) -> list[Cell]:
    """Put all sets into blocks of at most `most`, 2 or more; no two in a block share anybody.

    Sets are placed batch by batch, in order; what is left alone of one batch waits for the next. Sets that share an
    owner (`owners`, by name) come into one block only where no others of their batch fit; a block may have three sets
    where else one would be left alone. Blocks of one remain where no place has been found.
    """
    cells: list[Cell] = []
    alone: list[People] = []
    for batch in batches:
        apart, strict = _apart(batch, most, owners)
        left, alone = _packed([*alone, *strict], most)
        cells += apart + left
    left_over = []
    while alone:
        left_over += _settled(alone.pop(0), alone, cells, max(most, 3))
    return [*cells, *([one] for one in left_over)]


def _apart(batch: Sequence[People], most: int, owners: Mapping[str, str]) -> tuple[list[Cell], Cell]:
    """Pack sets that share no owner; where owners have several names in pairs only, the hardest to place first.

    So that sets which fit all others are not used up where they are not needed.
    """
    counts = Counter(owners.values())
    reach = {people: frozenset(owners[name] for name in people) for people in batch}
    hardest = sorted(batch, key=lambda people: -sum(counts[owner] - 1 for owner in reach[people]))
    return _packed(hardest, most if max(counts.values()) == 1 else 2, reach)


def _packed(
    waiting: Sequence[People], most: int, reach: Mapping[People, frozenset[str]] | None = None
) -> tuple[list[Cell], Cell]:
    """Begin a block with the first set that has none, and fill it with the first ones that fit; then those left alone.

    Sets fit that do not overlap in `reach`, or in people where that is not given.
    """
    cells: list[Cell] = []
    alone: Cell = []
    while waiting:
        cell, waiting = _first_cell(waiting, most, reach or {})
        if len(cell) > 1:
            cells.append(cell)
        else:
            alone += cell
    return cells, alone


def _first_cell(
    waiting: Sequence[People], most: int, reach: Mapping[People, frozenset[str]]
) -> tuple[Cell, Sequence[People]]:
    """Fill one block, and give the sets that are left."""
    first = waiting[0]
    cell, left = [first], list[People]()
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


def _settled(one: People, alone: Cell, cells: list[Cell], most: int) -> Cell:
    """Find a place for one set, by a chain of exchanges if need be; gives the set that has none in the end, if any."""
    if _has_place(one, alone, cells, most):
        return []
    pairs = [cell for cell in cells if len(cell) == 2]
    for cell in islice(cycle(pairs), _PATIENCE * len(pairs)):
        if leaver := _exchanged(one, cell):
            one = leaver
            if _has_place(one, alone, cells, most):
                return []
    return [one]


def _has_place(one: People, alone: Cell, cells: list[Cell], most: int) -> bool:
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


def _exchanged(one: People, cell: Cell) -> People | None:
    """Take a place in a block of two, and give who had it; None where neither stays beside it."""
    for stays, leaves in ((0, 1), (1, 0)):
        if one.isdisjoint(cell[stays]):
            leaver, cell[leaves] = cell[leaves], one
            return leaver
    return None
