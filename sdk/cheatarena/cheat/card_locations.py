"""Where known cards may be: cards in groups, each with the set of places among which its cards are.

A seat that was seen with three kings has a group of one place, its hand. When it lays a card face down, nobody can say
whether that was a king, so the group has two places, hand and card. When the card is shown, they are one again.
A set of places is a number, one bit a place; what the places are is the caller's business.

Equal cards (two jokers, several packs) are told apart by nobody, and then the groups say the least that is certain.
"""

from collections.abc import Iterable, Mapping

from cheatarena.cheat.cards import CARDS, RANKS, count_cards

Counts = dict[int, int]
"""Cards and how many of each."""


class CardLocations:
    """All cards that are known to be in one place or among a few."""

    __slots__ = ("_by_rank", "groups")

    def __init__(self) -> None:
        self.groups: dict[int, Counts] = {}
        """Cards by the set of places among which they are."""
        self._by_rank: list[int] | None = None

    def put(self, places: int, some: Iterable[int]) -> None:
        """Note cards that are somewhere among ``places``."""
        cards = count_cards(some)
        _merge(self.groups, places, cards)
        if self._by_rank is not None:
            for card, number in cards.items():
                self._by_rank[card >> 2] += number

    def move(self, origin: int, target: int) -> None:
        """Let all that is at ``origin`` be at ``target``."""
        if any(places & origin for places in self.groups):
            self._regroup(
                ((places & ~origin) | target if places & origin else places, cards)
                for places, cards in self.groups.items()
            )

    def spread(self, origin: int, target: int) -> None:
        """Let what is at ``origin`` be there or at ``target``."""
        if any(places & origin for places in self.groups):
            self._regroup(
                (places | target if places & origin else places, cards) for places, cards in self.groups.items()
            )

    def drop(self, places: int, _: None = None) -> None:
        """Forget what is certainly at ``places``: it is somewhere that is not tracked here."""
        for each in [each for each in self.groups if not each & ~places]:
            del self.groups[each]
        self._by_rank = None

    def restrict_to_rank(self, place: int, rank: int) -> None:
        """Use that only jokers and cards of one rank are at ``place``."""
        moved: list[tuple[int, Counts]] = []
        for places, cards in self.groups.items():
            if not places & place or places == place:
                moved.append((places, cards))
                continue
            for card, number in cards.items():
                moved.append((places if CARDS[card].fits(rank) else places & ~place, {card: number}))
        self._regroup(moved)

    def resolve(self, places: int, some: Iterable[int]) -> None:
        """Use that ``places`` together hold exactly these cards."""
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
        """List the cards that are certainly among ``places``."""
        return _sum_counts(cards for each, cards in self.groups.items() if not each & ~places)

    def possible_cards(self, place: int) -> Counts:
        """List the known cards that may be at ``place``."""
        return _sum_counts(cards for each, cards in self.groups.items() if each & place)

    def count(self, rank: int) -> int:
        """Count all cards of a rank; jokers have rank 13."""
        if self._by_rank is None:
            self._by_rank = [0] * (len(RANKS) + 1)
            for cards in self.groups.values():
                for card, number in cards.items():
                    self._by_rank[card >> 2] += number
        return self._by_rank[rank]

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
    """Tell where copies of a card are for certain after ``gone`` of them, from whichever place, came to light."""
    if not gone:
        return [(places, {card: number}) for places, number in left]
    number = sum(each for _, each in left) - gone
    together = 0
    for places, _ in left:
        together |= places
    return [(together, {card: number})] if number > 0 else []
