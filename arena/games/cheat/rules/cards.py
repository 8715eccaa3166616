"""Cards as small codes, and hands as counts of them. This module knows no rules.

Codes 0..51 are `rank * 4 + suit`, with ranks in the order A..K and suits in the order C D H S. Code 52 is a joker. Code
order is the canonical order (spec A9). A hand is a tuple of 53 counts, one for each code, so that the cost of handling
a hand does not grow with the number of packs.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import add, sub
from typing import TypeAlias

from arena.errors import NotationError

RANKS = "A23456789TJQK"
SUITS = "CDHS"
RANK_COUNT = len(RANKS)
JOKER = 52
CODE_COUNT = 53

Hand: TypeAlias = tuple[int, ...]
"""Number of cards of each code; 53 numbers."""

MAX_NUMBER = 999_999
"""Stands for every number of an action that is negative or larger. It exceeds the card count of every ruleset."""
NO_CARD = 53
NO_RANK = 13
"""NO_CARD stands for every invalid card code, and NO_RANK for every invalid rank."""

_LARGE_COUNT = 64
"""With more cards than this, it is faster to count each code than to loop over the cards."""
_SINGLE_CARDS = tuple(bytes((code,)) for code in range(CODE_COUNT))
_TRUE_CARDS = tuple(bytes((*range(4 * rank, 4 * rank + 4), JOKER)) for rank in range(RANK_COUNT))
"""By rank, the codes that make a claim of this rank true."""

EMPTY_HAND: Hand = (0,) * CODE_COUNT

NAMES: tuple[str, ...] = (*[rank + suit for rank in RANKS for suit in SUITS], "JK")
"""Text of a card, by code."""
CODES = {name: code for code, name in enumerate(NAMES)}
"""Code of a card, by text."""
RANK_CODES = {name: rank for rank, name in enumerate(RANKS)}


def read_card(text: str) -> int:
    """Read a card such as `KS` or `JK`. Raises NotationError."""
    try:
        return CODES[text]
    except KeyError:
        raise NotationError(text, "a card: rank A23456789TJQK and suit CDHS, or JK") from None


def read_cards(texts: Iterable[str]) -> bytes:
    """Read cards in the order given. Raises NotationError."""
    return bytes(map(read_card, texts))


def card_texts(cards: Iterable[int]) -> list[str]:
    return [NAMES[code] for code in cards]


def hand_from_cards(cards: Iterable[int]) -> Hand:
    codes = bytes(cards)
    if len(codes) > _LARGE_COUNT:
        return _counts(codes)
    counts = list(EMPTY_HAND)
    for code in codes:
        counts[code] += 1
    return tuple(counts)


def cards_from_hand(hand: Hand) -> bytes:
    """Return a hand's cards in canonical order."""
    return b"".join([bytes((code,)) * count for code, count in enumerate(hand) if count])


def without_cards(hand: Hand, cards: bytes) -> Hand:
    """Return the hand minus these cards. The hand must hold all of them."""
    if len(cards) > _LARGE_COUNT:
        return tuple(map(sub, hand, _counts(cards)))
    counts = list(hand)
    for code in cards:
        counts[code] -= 1
    return tuple(counts)


def hand_from_moves(moves: Sequence[bytes]) -> Hand:
    """Return all cards of several moves as one hand."""
    hand = hand_from_cards(b"".join([cards for cards in moves if len(cards) <= _LARGE_COUNT]))
    for cards in moves:
        if len(cards) > _LARGE_COUNT:
            hand = merge_hands(hand, _counts(cards))
    return hand


def sort_cards(cards: bytes) -> bytes:
    """Return the cards in canonical order."""
    return _sort_and_count(cards)[0] if len(cards) > _LARGE_COUNT else bytes(sorted(cards))


def merge_hands(hand: Hand, other: Sequence[int]) -> Hand:
    return tuple(map(add, hand, other))


def has_cards(hand: Hand, cards: bytes) -> bool:
    """Return whether the hand holds all these cards; an invalid code is never held."""
    if len(cards) > _LARGE_COUNT:
        counts = _counts(cards)  # invalid codes are not counted, so the sum is too small if there are any
        if sum(counts) != len(cards):
            return False
        for code in range(CODE_COUNT):  # noqa: SIM110  as below
            if counts[code] > hand[code]:
                return False
        return True
    for code in set(cards):  # noqa: SIM110  runs for every move, a generator costs more
        if code >= CODE_COUNT or cards.count(code) > hand[code]:
            return False
    return True


@lru_cache(maxsize=64)
def _sort_and_count(cards: bytes) -> tuple[bytes, Hand]:
    """Return the cards sorted, and counted as a hand.

    The result is cached, because a move of many cards needs it three times: to check, to sort and to lay the cards.
    """
    counts = [0] * (NO_CARD + 1)
    for index in range(len(cards)):  # compiled, this takes half the time of a loop over the cards themselves
        counts[cards[index]] += 1
    hand = tuple(counts[:CODE_COUNT])
    return b"".join([_SINGLE_CARDS[code] * count for code, count in enumerate(hand)]), hand


def _counts(cards: bytes) -> Hand:
    return _sort_and_count(cards)[1]


def lowest_cards(hand: Hand, count: int) -> bytes:
    """Return the first `count` cards of a hand in canonical order."""
    return cards_from_hand(hand)[:count]


def cards_of_rank(hand: Hand, rank: int) -> bytes:
    """Return a hand's cards of one rank, without jokers."""
    return b"".join([bytes((code,)) * hand[code] for code in range(4 * rank, 4 * rank + 4)])


def are_of_rank(cards: bytes, rank: int) -> bool:
    """Return whether every card is of this rank or a joker."""
    return not cards.translate(None, _TRUE_CARDS[rank]) if rank < RANK_COUNT else not cards.strip(_SINGLE_CARDS[JOKER])


def largest_set_size(hand: Hand) -> int:
    """Return the size of the largest set that a hand can truthfully lay as one rank, jokers included."""
    most = max(map(sum, zip(*[iter(hand[:JOKER])] * 4, strict=True)))
    return most + hand[JOKER]


def pack_size(decks: int, jokers_per_deck: int) -> int:
    return decks * (CODE_COUNT - 1 + jokers_per_deck)


@lru_cache(maxsize=8)
def sorted_deck(decks: int, jokers_per_deck: int) -> bytes:
    """Return the cards of the deck in canonical order."""
    return b"".join([card * decks for card in _SINGLE_CARDS[:JOKER]]) + _SINGLE_CARDS[JOKER] * (decks * jokers_per_deck)
