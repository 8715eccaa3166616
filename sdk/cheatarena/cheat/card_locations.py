"""Possible locations of known cards: groups of cards, each with the set of places where its cards may be.

Three kings that a seat has shown form a group with one place, the seat's hand. When the seat lays a card face down,
that card may be one of the kings, so the group gets two places: the hand and the move. When the card is shown, each
king has one place again. A set of places is a bit mask with one bit per place. `Knowledge` defines the places.

Equal cards (jokers, or cards of several packs) cannot be told apart. For equal cards, the groups state only what is
certain.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from cheatarena.cheat.cards import CARDS, RANKS, count_cards

Counts = dict[int, int]
"""Number of copies by card."""


class CardLocations:
    """All known cards, each with the places where it may be."""

    __slots__ = ("_by_rank", "groups")

    def __init__(self) -> None:
        self.groups: dict[int, Counts] = {}
        """Cards by the set of places where they may be."""
        self._by_rank: list[int] | None = None

    def put(self, places: int, some: Iterable[int]) -> None:
        """Add cards that are somewhere in ``places``."""
        cards = count_cards(some)
        _merge(self.groups, places, cards)
        if self._by_rank is not None:
            for card, number in cards.items():
                self._by_rank[card >> 2] += number

    def move(self, origin: int, target: int) -> None:
        """Move all cards at ``origin`` to ``target``."""
        if any(places & origin for places in self.groups):
            self._regroup(
                [
                    ((places & ~origin) | target if places & origin else places, cards)
                    for places, cards in self.groups.items()
                ]
            )

    def spread(self, origin: int, target: int) -> None:
        """Record that each card at ``origin`` may now also be at ``target``."""
        if any(places & origin for places in self.groups):
            self._regroup(
                [(places | target if places & origin else places, cards) for places, cards in self.groups.items()]
            )

    def drop(self, places: int, _: None = None) -> None:
        """Stop tracking the cards that are certainly in ``places``."""
        for each in [each for each in self.groups if not each & ~places]:
            del self.groups[each]
        self._by_rank = None

    def restrict_to_rank(self, place: int, rank: int) -> None:
        """Record that ``place`` contains only jokers and cards of one rank."""
        moved: list[tuple[int, Counts]] = []
        for places, cards in self.groups.items():
            if not places & place or places == place:
                moved.append((places, cards))
                continue
            for card, number in cards.items():
                moved.append((places if CARDS[card].fits(rank) else places & ~place, {card: number}))
        self._regroup(moved)

    def resolve(self, places: int, some: Iterable[int]) -> None:
        """Record that ``places`` together contain exactly these cards."""
        content = count_cards(some)
        certain = self.certain_cards(places)
        moved: list[tuple[int, Mapping[int, int]]] = [(places, content)]
        doubtful: dict[int, list[tuple[int, int]]] = {}
        for each, cards in self.groups.items():
            if not each & places:
                moved.append((each, cards))
            elif outside := each & ~places:
                for card, number in cards.items():
                    doubtful.setdefault(card, []).append((outside, number))
        for card, left in doubtful.items():
            moved += _remaining_groups(card, left, max(content.get(card, 0) - certain.get(card, 0), 0))
        self._regroup(moved)
        self._by_rank = None

    def certain_cards(self, places: int) -> Counts:
        """Return the cards that are certainly in ``places``."""
        return _sum_counts([cards for each, cards in self.groups.items() if not each & ~places])

    def possible_cards(self, place: int) -> Counts:
        """Return the known cards that may be at ``place``."""
        return _sum_counts([cards for each, cards in self.groups.items() if each & place])

    def count(self, rank: Any) -> int:
        """Return the number of cards of a rank; jokers have rank 13. A bot may have made the rank."""
        if self._by_rank is None:
            self._by_rank = [0] * (len(RANKS) + 1)
            for cards in self.groups.values():
                for card, number in cards.items():
                    self._by_rank[card >> 2] += number
        located: int = self._by_rank[rank]
        return located

    def _regroup(self, moved: Iterable[tuple[int, Mapping[int, int]]]) -> None:
        groups: dict[int, Counts] = {}
        for places, cards in moved:
            _merge(groups, places, cards)
        self.groups = groups


def _merge(groups: dict[int, Counts], places: int, cards: Mapping[int, int]) -> None:
    known = groups.get(places)
    if known is None:
        if cards:
            groups[places] = dict(cards)
        return
    for card, number in cards.items():
        known[card] = known.get(card, 0) + number


def _sum_counts(some: Iterable[Counts]) -> Counts:
    found: Counts = {}
    for cards in some:
        for card, number in cards.items():
            found[card] = found.get(card, 0) + number
    return found


def _remaining_groups(card: int, left: list[tuple[int, int]], gone: int) -> list[tuple[int, Counts]]:
    """Return the groups of one card's copies after ``gone`` of the copies were located.

    ``left`` has the places and the number of copies of each earlier group. Nobody knows from which group the located
    copies came. So if any copies were located, all groups become one.
    """
    if not gone:
        return [(places, {card: number}) for places, number in left]
    number = sum(each for _, each in left) - gone
    together = 0
    for places, _ in left:
        together |= places
    return [(together, {card: number})] if number > 0 else []
