"""Letter and action cards, and their text: ``RC`` is the red C, ``YE`` a yellow E; an action card's text is its name.

A card is a small number, as on the wire. The letter cards are 0 to 23: colour * 6 + letter. The action cards TAKE SHOW
HIDE BUST WILD are 24 to 28.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Self

from cheatarena.errors import NotationError

LETTERS = "CHEATR"
ACTIONS = ("TAKE", "SHOW", "HIDE", "BUST", "WILD")
FIRST_ACTION = 24


class Color(IntEnum):
    """A colour. Its text is one character.

    >>> print(Color.YELLOW, int(Color.BLUE))
    Y 3
    """

    RED = 0
    YELLOW = 1
    PURPLE = 2
    BLUE = 3

    def __str__(self) -> str:
        return "RYPB"[self]


class Card(int):
    """A card. Letter cards sort by colour, then in the order C H E A T R; action cards follow.

    >>> print(Card(8), Card.of("YE").color == Color.YELLOW, Card.of("WILD").is_letter)
    YE True False
    """

    __slots__ = ()

    @property
    def is_letter(self) -> bool:
        """Whether this is a letter card."""
        return self < FIRST_ACTION

    @property
    def color(self) -> Color | None:
        """The colour; None for an action card."""
        return Color(self // 6) if self < FIRST_ACTION else None

    @property
    def letter(self) -> str:
        """One of ``C H E A T R``; empty for an action card."""
        return LETTERS[self % 6] if self < FIRST_ACTION else ""

    def __str__(self) -> str:
        return TEXTS[self]

    def __repr__(self) -> str:
        return TEXTS[self]

    @classmethod
    def of(cls, text: str) -> "Card":
        """Return the card that a text names.

        Raises NotationError unless the text names one of the 29 cards.
        """
        if text not in TEXTS:
            raise NotationError(
                f"{text!r} is not a card, expected a colour and a letter such as RC, or one of {ACTIONS}"
            )
        return CARDS[TEXTS.index(text)]


TEXTS: tuple[str, ...] = (*(f"{color}{letter}" for color in "RYPB" for letter in LETTERS), *ACTIONS)
CARDS: tuple[Card, ...] = tuple(map(Card, range(len(TEXTS))))
TAKE, SHOW, HIDE, BUST, WILD = CARDS[FIRST_ACTION:]

WORDS: tuple[tuple[Card, ...], ...] = tuple(
    tuple(CARDS[color * 6 + LETTERS.index(letter)] for letter in "CHEEATR") for color in range(4)
)
"""For each colour, the seven cards that win."""

LETTER_COPIES = dict(zip(LETTERS, (2, 2, 4, 2, 2, 2), strict=True))
ACTION_COPIES = dict(zip(ACTIONS, (4, 4, 4, 1, 1), strict=True))


def copies(card: Card) -> int:
    """Return the number of copies of a card in one pack of 70.

    >>> copies(Card.of("RE")), copies(WILD), sum(map(copies, CARDS))
    (4, 1, 70)
    """
    return LETTER_COPIES[card.letter] if card.is_letter else ACTION_COPIES[str(card)]


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards in a text, in the same order; spaces separate them.

    >>> cards("RE TAKE RC")
    (RE, TAKE, RC)
    """
    return tuple(map(Card.of, text.split()))


class Hand(tuple[Card, ...]):
    """Cards in canonical order, each copy separately. Immutable.

    >>> hand = Hand(cards("WILD RH RE RE YC RA RC"))
    >>> print(hand, "|", hand.nearest, hand.missing(Color.RED), hand.spare(Color.RED))
    RC RH RE RE RA YC WILD | R (RT, RR) (YC, WILD)
    """

    __slots__ = ()

    def __new__(cls, held: Iterable[int] = ()) -> Self:
        """Build a hand of cards in any order."""
        return super().__new__(cls, [CARDS[card] for card in sorted(held)])

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"Hand({self})"

    @property
    def actions(self) -> tuple[Card, ...]:
        """The action cards."""
        return tuple(card for card in self if not card.is_letter)

    def letters(self, color: int) -> tuple[Card, ...]:
        """Return the cards of this hand that the word in a colour needs. Surplus copies of a letter are left out."""
        missing = self.missing(color)
        needed = list(WORDS[color])
        for card in missing:
            needed.remove(card)
        return tuple(needed)

    def missing(self, color: int) -> tuple[Card, ...]:
        """Return the cards that this hand lacks for the word in a colour. If both E are missing, E is listed twice."""
        left = list(self)
        missing = []
        for card in WORDS[color]:
            if card in left:
                left.remove(card)
            else:
                missing.append(card)
        return tuple(missing)

    def distance(self, color: int) -> int:
        """Return the number of cards missing for the word in a colour, 0 to 7."""
        return len(self.missing(color))

    @property
    def colors(self) -> tuple[Color, ...]:
        """All colours, fewest missing cards first. On a tie, the colour with the lower number comes first."""
        return tuple(sorted(Color, key=self.distance))

    @property
    def nearest(self) -> Color:
        """The colour with the fewest missing cards. On a tie, it is the colour with the lowest number."""
        return min(Color, key=self.distance)

    def spare(self, color: int) -> tuple[Card, ...]:
        """Return the cards that the word in a colour does not need: letters first, action cards last."""
        left = list(self)
        for card in self.letters(color):
            left.remove(card)
        return tuple(left)

    def has(self, wanted: Iterable[int]) -> bool:
        """Return whether the hand has all of ``wanted``, with enough copies of equal cards."""
        named = tuple(wanted)
        return all(self.count(card) >= named.count(card) for card in {*named})

    def plus(self, more: Iterable[int]) -> "Hand":
        """Return the hand plus these cards."""
        return Hand((*self, *more))

    def minus(self, gone: Iterable[int]) -> "Hand":
        """Return the hand without these cards. Cards that the hand does not have are ignored."""
        left = list(self)
        for card in gone:
            if card in left:
                left.remove(CARDS[card])
        return Hand(left)
