"""Decides whether a claim could be true, given one seat's knowledge, and how likely the mover could make it truly.

The module searches for a way to distribute the unseen cards so that the claim is true. `Table.is_impossible` says when
the answer is exact.
"""

from math import comb
from typing import Any

from cheatarena.cheat.cards import CARDS, JOKER, count_cards
from cheatarena.cheat.knowledge import Knowledge
from cheatarena.cheat.ruleset import Ruleset


def could_be_true(claim: Any, known: Knowledge, rules: Ruleset) -> bool:
    """Return whether the unseen cards can be distributed so that a claim is true.

    `claim` is a Claim, but a bot may have made it and put anything into it. If it is no longer on the pile and its
    cards are unknown, return True.
    """
    if claim.cards is not None:
        return len(claim.cards) == claim.count and all(card.fits(claim.rank) for card in claim.cards)
    if not claim.count or not known.pile or claim.layer < known.pile[0].layer:
        return True
    if claim.laid is not None and claim.laid != claim.count:
        return False
    layer = 1 << claim.layer
    unseen = rules.copies + rules.jokers - known.count_located(claim.rank) - known.count_located(JOKER >> 2)
    near = [cards for mask, cards in known.elsewhere.groups.items() if mask & layer]
    if not near and unseen >= claim.count:
        return True
    if unseen + sum(_count_fitting(claim, cards) for cards in near) < claim.count:
        return False
    size = known.sizes[claim.seat]
    if known.hides_sizes or size is None:
        return _has_room(claim, known)
    room = size + claim.count - sum(sum(cards.values()) for cards in near)
    return min(room, unseen) >= claim.count or _has_consistent_deal(claim, unseen, known, rules)


def chance_of_holding(claim: Any, known: Knowledge, rules: Ruleset) -> float:
    """Return the chance that the mover had the cards to make a claim truly. `Table.chance` says what it means.

    The number of fitting cards among those drawn from a pool has the hypergeometric distribution: Feller, An
    Introduction to Probability Theory and Its Applications, volume 1, section II.6, equation (6.1).
    """
    is_possible = could_be_true(claim, known, rules)
    if claim.cards is not None or not is_possible:
        return float(is_possible)
    since = [each for each in known.pile if each.seat == claim.seat and each.layer >= claim.layer]
    had = 1 << claim.seat | sum(1 << each.layer for each in since)
    own = [cards for mask, cards in known.elsewhere.groups.items() if not mask & ~had]
    out = [count_cards(known.hand), *own, *[cards for mask, cards in known.elsewhere.groups.items() if not mask & had]]
    pool = rules.card_count - sum(sum(cards.values()) for cards in out)
    fitting = rules.copies + rules.jokers - sum(_count_fitting(claim, cards) for cards in out)
    wanted = max(claim.count - sum(_count_fitting(claim, cards) for cards in own), 0)
    sizes = [known.sizes[claim.seat], *[each.laid for each in since]]
    if None in sizes:
        drawn = max(pool // max(len(known.sizes) - 1, 1), wanted)
    else:
        drawn = sum(size or 0 for size in sizes) - sum(sum(cards.values()) for cards in own)
    drawn = min(max(drawn, 0), pool)
    ways = sum(
        comb(fitting, each) * comb(pool - fitting, drawn - each) for each in range(wanted, min(fitting, drawn) + 1)
    )
    return ways / comb(pool, drawn)


def _count_fitting(claim: Any, cards: dict[int, int]) -> int:
    return sum(number for card, number in cards.items() if CARDS[card].fits(claim.rank))


def _has_room(claim: Any, known: Knowledge) -> bool:
    """Return whether the cards that are certainly in the move fit the claim. All other cards may be elsewhere."""
    certain = known.elsewhere.groups.get(1 << claim.layer, {})
    return sum(certain.values()) <= claim.count and _count_fitting(claim, certain) == sum(certain.values())


def _has_consistent_deal(claim: Any, unseen: int, known: Knowledge, rules: Ruleset) -> bool:
    """Return whether the cards can be distributed so that the move has only cards that fit the claim.

    All sizes must be known. Each place except this seat's hand has room for exactly as many cards as it contains. The
    following cards must find room there:

    * the unseen cards that fit the claim
    * each group of known cards; those that do not fit the claim must stay out of the move
    * all other cards, which must stay out of the move
    """
    layer = 1 << claim.layer
    rooms = {1 << seat: size or 0 for seat, size in enumerate(known.sizes) if seat != known.seat}
    rooms[1 << known.gone] = known.banished_size
    rooms |= {1 << each.layer: each.laid or 0 for each in known.pile}
    rooms |= {1 << abandoned: count or 0 for abandoned, count in known.abandoned.items()}
    supplies = [(unseen, -1)]
    for mask, cards in known.elsewhere.groups.items():
        fitting = _count_fitting(claim, cards)
        supplies += [(fitting, mask), (sum(cards.values()) - fitting, mask & ~layer)]
    total = rules.card_count - len(known.hand)
    supplies.append((total - sum(number for number, _ in supplies), ~layer))
    # The remaining cards were not dealt. They get a place of their own.
    rooms[1 << known.top_layer] = total - sum(rooms.values())
    return _can_place_all(supplies, rooms)


def _can_place_all(supplies: list[tuple[int, int]], rooms: dict[int, int]) -> bool:
    """Return whether all supplies find room. A supply is a number of cards, and the set of places where they may be.

    Searches augmenting paths as in Ford and Fulkerson, Canadian Journal of Mathematics 8 (1956), section 2.
    """
    free = dict(rooms)
    placed: list[dict[int, int]] = [dict.fromkeys(rooms, 0) for _ in supplies]
    for index, (number, _) in enumerate(supplies):
        left = number
        while left > 0:
            path = _find_augmenting_path(index, supplies, free, placed)
            if path is None:
                return False
            left -= _push_along(left, path, free, placed)
    return True


PathStep = tuple[int, int]
"""The index of a supply, and the place to which some cards of this supply move."""


def _find_augmenting_path(
    start: int, supplies: list[tuple[int, int]], free: dict[int, int], placed: list[dict[int, int]]
) -> list[PathStep] | None:
    """Return a path of steps that ends at a place with room; None if there is no such path.

    Each step makes room for the step before it.
    """
    paths: list[list[PathStep]] = [[(start, room)] for room in free if room & supplies[start][1]]
    reached = {path[-1][1] for path in paths}
    for path in paths:
        last = path[-1][1]
        if free[last]:
            return path
        for index, (_, places) in enumerate(supplies):
            if placed[index][last]:
                found = [room for room in free if room & places and room not in reached]
                reached.update(found)
                paths += [[*path, (index, room)] for room in found]
    return None


def _push_along(left: int, path: list[PathStep], free: dict[int, int], placed: list[dict[int, int]]) -> int:
    """Move cards along a path: as many as there is room for, but at most ``left``. Return their number."""
    cleared = [(index, room) for (index, _), (_, room) in zip(path[1:], path, strict=False)]
    amount = min(left, free[path[-1][1]], *[placed[index][room] for index, room in cleared])
    for index, room in cleared:
        placed[index][room] -= amount
    for index, room in path:
        placed[index][room] += amount
    free[path[-1][1]] -= amount
    return amount
