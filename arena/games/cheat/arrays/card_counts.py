"""Cards counted by rank, as one number with a byte for each rank. So cards are added and removed in one operation.

Byte 0 is the ace, byte 12 the king, byte 13 the joker. No byte overflows: two packs have eight cards of a rank.
"""

from typing import Final

from arena.games.cheat.rules.cards import CODE_COUNT, Hand

KINDS: Final = 14
"""The thirteen ranks, and the joker."""
JOKER_KIND: Final = 13
NO_CARDS: Final = bytes(KINDS)

_ONE_CARD: Final = (*[1 << 8 * (code >> 2) for code in range(CODE_COUNT)], 0)
"""One card, by its code. NO_CARD, which stands for a card that a bot does not see, counts as none."""


def count_cards(cards: bytes) -> int:
    """Return cards, given as codes, counted by rank.

    >>> count_to_bytes(count_cards(bytes([0, 1, 48, 52]))).hex()
    '0200000000000000000000000101'
    """
    total = 0
    for code in cards:
        total += _ONE_CARD[code]
    return total


def count_hand(hand: Hand) -> int:
    total = 0
    for code, number in enumerate(hand):
        if number:
            total += number * _ONE_CARD[code]
    return total


def count_to_bytes(count: int) -> bytes:
    """Return the number of cards of each rank, and of jokers, as 14 bytes."""
    return count.to_bytes(KINDS, "little")


def bytes_to_count(kinds: bytes) -> int:
    return int.from_bytes(kinds, "little")
