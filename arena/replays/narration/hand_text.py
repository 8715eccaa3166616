"""Shortens the text of a large hand: to counts by rank, or to what has changed."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from arena.plurals import format_count

MAX_SHOWN_CARDS: Final = 20
"""A hand with more cards is not listed card by card."""
_HAND: Final = re.compile(r"(?P<cards>.*) \((?P<count>\d+)\)", re.DOTALL)
_JOKER: Final = "JK"


def shorten_hand(text: str, before: str | None) -> str:
    """Return the text of a hand, such as `AC AD KH (3)`. Shorten it if the hand has more than 20 cards.

    `before` is the text of the same hand at an earlier time, or None. Then only the changes are told, unless they are
    longer than the hand in short. Return a text in another form unchanged.

    >>> hand = "AC AD AH AS 2C 2D 2H 3C 4C 5C 6C 7C 8C 9C TC JC QC KC KD KH JK (21)"
    >>> shorten_hand(hand, None)
    '21 cards: 4*A 3*2 1*3 1*4 1*5 1*6 1*7 1*8 1*9 1*T 1*J 1*Q 3*K 1*JK'
    >>> shorten_hand(hand, hand.replace("KH JK (21)", "KH 9D (21)"))
    '21 cards, +JK -9D'
    """
    cards = _read_hand(text)
    if cards is None or cards.total() <= MAX_SHOWN_CARDS:
        return text
    size = format_count(cards.total(), "card")
    old = None if before is None else _read_hand(before)
    if old is None:
        return f"{size}: {_count_ranks(cards)}"
    changes = [(sign, changed) for sign, changed in (("+", cards - old), ("-", old - cards)) if changed]
    if sum(changed.total() for _, changed in changes) > MAX_SHOWN_CARDS:
        return f"{size}: {_count_ranks(cards)}"
    return f"{size}, " + " ".join(sign + _list_cards(changed) for sign, changed in changes)


def shorten_cards(words: Iterable[str]) -> str:
    """Return cards as text: one by one, or by rank if there are more than 20.

    >>> shorten_cards(["AC", "AD"]), shorten_cards(["AC"] * 21)
    ('AC AD', '21*A')
    """
    cards = list(words)
    return _count_ranks(Counter(cards)) if len(cards) > MAX_SHOWN_CARDS else " ".join(cards)


def _read_hand(text: str) -> Counter[str] | None:
    """Return the cards of a hand by number; None if the text is no list of cards with its length."""
    found = _HAND.fullmatch(text)
    words = Counter(found["cards"].split()) if found is not None else Counter[str]()
    return words if found is not None and words.total() == int(found["count"]) else None


def _list_cards(cards: Counter[str]) -> str:
    return " ".join(card for card, count in cards.items() for _ in range(count))


def _count_ranks(cards: Counter[str]) -> str:
    ranks = Counter[str]()
    for card, count in cards.items():
        ranks[card if card == _JOKER else card[:-1]] += count
    return " ".join(f"{count}*{rank}" for rank, count in ranks.items())
