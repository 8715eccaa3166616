"""Cards, ranks and hands, and their text: ``KS`` is the king of spades, ``TD`` the ten of diamonds, ``JK`` a joker.

A card is a small number, as on the wire: 0 to 51 is rank * 4 + suit, 52 is a joker. This module knows no rules.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum

from cheatarena.errors import NotationError

RANK_LETTERS = "A23456789TJQK"
SUIT_LETTERS = "CDHS"


class Rank(IntEnum):
    """A rank, ace low. Its text is one character.

    >>> print(Rank.TEN, Rank.KING, int(Rank.ACE))
    T K 0
    """

    ACE = 0
    TWO = 1
    THREE = 2
    FOUR = 3
    FIVE = 4
    SIX = 5
    SEVEN = 6
    EIGHT = 7
    NINE = 8
    TEN = 9
    JACK = 10
    QUEEN = 11
    KING = 12

    def __str__(self) -> str:
        return RANK_LETTERS[self]

    @classmethod
    def of(cls, text: str) -> "Rank":
        """Return the rank that a character names.

        Raises NotationError unless the character is one of ``A23456789TJQK``.
        """
        index = RANK_LETTERS.find(text) if len(text) == 1 else -1
        if index < 0:
            raise NotationError(f"{text!r} is not a rank, expected one of {RANK_LETTERS}")
        return cls(index)


class Card(int):
    """A card: 0 to 51 is rank * 4 + suit, 52 is a joker. Cards sort from ace to king, jokers last.

    >>> print(Card(51), Card(51).rank == Rank.KING, Card.of("JK").is_joker)
    KS True True
    """

    __slots__ = ()

    @property
    def is_joker(self) -> bool:
        """Whether this is a joker, which fits every claim."""
        return self == JOKER

    @property
    def rank(self) -> Rank | None:
        """The rank; None for a joker."""
        return None if self == JOKER else RANKS[self >> 2]

    def fits(self, rank: int) -> bool:
        """Return whether this card makes a claim of ``rank`` true: it has this rank or is a joker."""
        return self >> 2 == rank or self == JOKER

    def __str__(self) -> str:
        return "JK" if self == JOKER else RANK_LETTERS[self >> 2] + SUIT_LETTERS[self & 3]

    def __repr__(self) -> str:
        return str(self)

    @classmethod
    def of(cls, text: str) -> "Card":
        """Return the card that a text names.

        Raises NotationError unless the text names one of the 53 cards.
        """
        card = CARD_OF_TEXT.get(text)
        if card is None:
            raise NotationError(f"{text!r} is not a card, expected a rank and a suit such as KS or TD, or JK")
        return card


JOKER = 52
CARD_KINDS = 53
MANY_CARDS = 200
"""Hands with more cards than this are listed anew after a move; in smaller hands, the cards of the move are removed."""
RANKS: tuple[Rank, ...] = tuple(Rank)
CARDS: tuple[Card, ...] = tuple(Card(code) for code in range(CARD_KINDS))
CARD_OF_TEXT = {str(card): card for card in CARDS}


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards in a text, in the same order; spaces separate them.

    >>> cards("KS KD JK")
    (KS, KD, JK)
    """
    return tuple(Card.of(word) for word in text.split())


def count_cards(some: Iterable[int]) -> dict[int, int]:
    """Return the number of copies of each card. For the few cards of a move, this is much faster than a Counter."""
    counts: dict[int, int] = {}
    for card in some:
        counts[card] = counts.get(card, 0) + 1
    return counts


class Hand:
    """The cards of one seat: a multiset.

    Iterates from ace to king, jokers last. `Table.hand` changes during the game; use ``tuple(hand)`` to keep a copy.

    >>> hand = Hand(cards("KS AD KD JK"))
    >>> print(hand, "|", len(hand), hand.count(Rank.KING), hand.jokers, hand.of(Rank.KING))
    AD KD KS JK | 4 2 1 (KD, KS)
    """

    __slots__ = ("_by_rank", "_counts", "_listed", "_size")

    def __init__(self, held: Iterable[int] = ()) -> None:
        self._counts = [0] * CARD_KINDS
        self._by_rank = [0] * (len(RANKS) + 1)
        self._size = 0
        self._listed: list[Card] | None = None
        """Cache of all cards in order; None after cards were added."""
        self.add(held)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Card]:
        if self._listed is None:
            self._listed = [card for card, number in zip(CARDS, self._counts, strict=True) for _ in range(number)]
        return iter(self._listed.copy())

    def __contains__(self, card: object) -> bool:
        return isinstance(card, int) and 0 <= card < CARD_KINDS and self._counts[card] > 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hand) and self._counts == other._counts

    __hash__ = None  # type: ignore[assignment]  # a hand changes

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"Hand({self})"

    @property
    def jokers(self) -> int:
        """Number of jokers."""
        return self._counts[JOKER]

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """The ranks with at least one card, ascending."""
        return tuple(rank for rank in RANKS if self.count(rank))

    def count(self, rank: int) -> int:
        """Return the number of cards of a rank, without jokers."""
        return self._by_rank[rank]

    def copies(self, card: int) -> int:
        """Return the number of copies of one card."""
        return self._counts[card]

    def of(self, rank: int) -> tuple[Card, ...]:
        """Return the cards of a rank, ascending, without jokers."""
        counts = self._counts
        found: list[Card] = []
        for code in range(rank * 4, rank * 4 + 4):
            if number := counts[code]:
                found += (CARDS[code],) * number
        return tuple(found)

    def has(self, wanted: Iterable[int]) -> bool:
        """Return whether the hand has all of ``wanted``, with enough copies of equal cards."""
        counts = self._counts
        for card, number in count_cards(wanted).items():  # noqa: SIM110 - all() takes twice as long for a few cards
            if not (0 <= card < CARD_KINDS and counts[card] >= number):
                return False
        return True

    def add(self, more: Iterable[int]) -> None:
        """Add cards."""
        self._listed = None
        for card in more:
            self._counts[card] += 1
            self._by_rank[card >> 2] += 1
            self._size += 1

    def remove(self, gone: Iterable[int]) -> None:
        """Remove cards, all of which must be in the hand."""
        size = self._size
        for card in gone:
            self._counts[card] -= 1
            self._by_rank[card >> 2] -= 1
            self._size -= 1
            if self._listed is not None:
                if size > MANY_CARDS:  # a search for each card would take longer than a new list
                    self._listed = None
                else:
                    self._listed.remove(CARDS[card])
