"""Cards as small codes, and hands as sorted codes (spec B1). This module knows no rules.

Codes 0..23 are `color * 6 + letter`, with colours in the order R Y P B and letters in the order C H E A T R. Codes
24..28 are TAKE SHOW HIDE BUST WILD. Code order is the canonical order (spec B6). A hand never has more than nine cards,
so it is stored as its codes in ascending order.
"""

from collections.abc import Iterable

from arena.errors import NotationError

COLORS = "RYPB"
"""Red, yellow, purple, blue."""
LETTERS = "CHEATR"
TAKE, SHOW, HIDE, BUST, WILD = range(24, 29)
CODE_COUNT = 29
NO_CARD = 29
"""Stands for every invalid card code. No seat holds this card."""
MAX_CARDS = 140
"""The most cards that a game can have. Further cards of an action are dropped: the rules refuse the action anyway."""

NAMES: tuple[str, ...] = (
    *[color + letter for color in COLORS for letter in LETTERS],
    *("TAKE", "SHOW", "HIDE", "BUST", "WILD"),
)
"""Text of a card, by code."""
CODES = {name: code for code, name in enumerate(NAMES)}
"""Code of a card, by text."""

HAND_SIZE = 7
"""Number of cards in a hand between turns."""

_SPELLED_WORD = "CHEATER"
_COPIES = {"C": 2, "H": 2, "E": 4, "A": 2, "T": 2, "R": 2, "TAKE": 4, "SHOW": 4, "HIDE": 4, "BUST": 1, "WILD": 1}
"""How many copies of each card a pack has; for a letter, how many in each colour."""


def read_card(text: str) -> int:
    """Read a card such as `RC` or `TAKE`. Raises NotationError."""
    try:
        return CODES[text]
    except KeyError:
        raise NotationError(text, "a card: colour RYPB and letter CHEATR, or TAKE, SHOW, HIDE, BUST, WILD") from None


def read_cards(texts: Iterable[str]) -> bytes:
    """Read cards in the order given. Raises NotationError."""
    return bytes(map(read_card, texts))


def card_texts(cards: Iterable[int]) -> list[str]:
    return [NAMES[code] for code in cards]


def sort_cards(cards: Iterable[int]) -> bytes:
    """Return the cards in canonical order."""
    return bytes(sorted(cards))


def without_cards(hand: bytes, cards: bytes) -> bytes:
    """Return the hand minus these cards. Cards that the hand does not hold are ignored."""
    left = bytearray(hand)
    for code in cards:
        if code in left:
            left.remove(code)
    return bytes(left)


def has_card(hand: bytes, card: int) -> bool:
    """Return whether the hand holds a card; an invalid code is never held."""
    return 0 <= card < CODE_COUNT and card in hand


def has_cards(hand: bytes, cards: bytes) -> bool:
    for code in cards:  # noqa: SIM110  runs for every discard, a generator costs more
        if cards.count(code) > hand.count(code):
            return False
    return True


def cards_in_packs(packs: int) -> bytes:
    """Return all cards of the deck in canonical order: 70 per pack, without the marker.

    >>> len(cards_in_packs(1)), len(cards_in_packs(2))
    (70, 140)
    """
    one = [code for code, name in enumerate(NAMES) for _ in range(_COPIES[name if code >= TAKE else name[1]])]
    return sort_cards(one * packs)


def spelled_color(hand: bytes) -> int | None:
    """Return the colour, 0 to 3, in which the whole hand spells CHEATER; None if there is no such colour (spec B1)."""
    return _SPELLINGS.get(hand)


_SPELLINGS = {
    sort_cards(read_cards([color + letter for letter in _SPELLED_WORD])): index for index, color in enumerate(COLORS)
}
