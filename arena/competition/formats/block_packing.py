"""Packs sets of entrants into blocks of disjoint sets, so that no set is alone in its block.

First, sets that fit together are packed greedily, in order. Then each set that was left alone gets a place: with
another single set, in a block with room, or with a set taken out of a larger block. If none of these works, the set
replaces another set in a block of two. The replaced set then needs a place.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, islice

EntrantSet = frozenset[str]
PackedBlock = list[EntrantSet]
"""The sets of one block."""

_MAX_EXCHANGE_PASSES = 20
"""The largest number of passes over the blocks of two in a chain of exchanges. If few sets fit together, as with 2n + 1
entrants at tables of n, one pass is enough."""


def pack_into_blocks(
    batches: Iterable[Sequence[EntrantSet]], most: int, owners: Mapping[str, str]
) -> list[PackedBlock]:
    """Return blocks that together contain all sets. A block has at most `most` disjoint sets, and `most` is at least 2.

    Sets are placed batch by batch, in order. A set left alone in one batch waits for the next batch. Sets that share an
    owner (`owners`, by name) share a block only if no other sets of their batch fit. If `most` is 2, a block may still
    have three sets, so that none is alone. A set for which no place was found is a block of one.
    """
    blocks: list[PackedBlock] = []
    alone: list[EntrantSet] = []
    for batch in batches:
        apart, strict = _pack_by_owner(batch, most, owners)
        left, alone = _pack_greedily([*alone, *strict], most)
        blocks += apart + left
    left_over = []
    while alone:
        left_over += _place_by_exchanges(alone.pop(0), alone, blocks, max(most, 3))
    return [*blocks, *([one] for one in left_over)]


def _pack_by_owner(
    batch: Sequence[EntrantSet], most: int, owners: Mapping[str, str]
) -> tuple[list[PackedBlock], PackedBlock]:
    """Return blocks of sets that share no owner, and the sets that were left alone.

    The sets that are hardest to place come first, so that the easy ones are still free when a block needs them. If an
    owner has several names, no block gets more than two sets.
    """
    counts = Counter(owners.values())
    reach = {people: frozenset(owners[name] for name in people) for people in batch}
    hardest = sorted(batch, key=lambda people: -sum(counts[owner] - 1 for owner in reach[people]))
    return _pack_greedily(hardest, most if max(counts.values()) == 1 else 2, reach)


def _pack_greedily(
    waiting: Sequence[EntrantSet], most: int, reach: Mapping[EntrantSet, frozenset[str]] | None = None
) -> tuple[list[PackedBlock], PackedBlock]:
    """Start each block with the first unplaced set and fill it with the first sets that fit.

    `reach` maps each set to its owners, and two sets fit if they share no owner. Without `reach`, two sets fit if they
    are disjoint. Return the blocks, and the sets that were left alone.
    """
    blocks: list[PackedBlock] = []
    alone: PackedBlock = []
    while waiting:
        block, waiting = _fill_block(waiting, most, reach or {})
        if len(block) > 1:
            blocks.append(block)
        else:
            alone += block
    return blocks, alone


def _fill_block(
    waiting: Sequence[EntrantSet], most: int, reach: Mapping[EntrantSet, frozenset[str]]
) -> tuple[PackedBlock, Sequence[EntrantSet]]:
    """Fill one block. Return the block and the remaining sets."""
    first = waiting[0]
    block, left = [first], list[EntrantSet]()
    taken = set(reach.get(first, first))
    for index, people in enumerate(waiting[1:], start=1):
        if len(block) == most:
            return block, [*left, *waiting[index:]]
        theirs = reach.get(people, people)
        if taken.isdisjoint(theirs):
            block.append(people)
            taken |= theirs
        else:
            left.append(people)
    return block, left


def _place_by_exchanges(one: EntrantSet, alone: PackedBlock, blocks: list[PackedBlock], most: int) -> PackedBlock:
    """Place one set, by a chain of exchanges if needed. Return the set left without a place, if any."""
    if _try_place(one, alone, blocks, most):
        return []
    pairs = [block for block in blocks if len(block) == 2]
    for block in islice(cycle(pairs), _MAX_EXCHANGE_PASSES * len(pairs)):
        if leaver := _swap_into_pair(one, block):
            one = leaver
            if _try_place(one, alone, blocks, most):
                return []
    return [one]


def _try_place(one: EntrantSet, alone: PackedBlock, blocks: list[PackedBlock], most: int) -> bool:
    """Pair a set with another lone one, add it to a block with room, or pair it with a set taken from a larger block.

    Return whether one of these worked.
    """
    for other in alone:
        if one.isdisjoint(other):
            alone.remove(other)
            blocks.append([one, other])
            return True
    for block in blocks:
        fitting = [people for people in block if one.isdisjoint(people)]
        if len(fitting) == len(block) < most:
            block.append(one)
            return True
        if fitting and len(block) > 2:
            block.remove(fitting[0])
            blocks.append([one, fitting[0]])
            return True
    return False


def _swap_into_pair(one: EntrantSet, block: PackedBlock) -> EntrantSet | None:
    """Replace one set in a block of two and return the replaced set; None if `one` overlaps both."""
    for stays, leaves in ((0, 1), (1, 0)):
        if one.isdisjoint(block[stays]):
            leaver, block[leaves] = block[leaves], one
            return leaver
    return None
