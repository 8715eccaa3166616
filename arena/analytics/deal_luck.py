"""The quality of a dealt hand, relative to the mean of the hands of its deal.

These measures were fixed before looking at any results, to rule out choosing them to fit. They change only for reasons
independent of who won.
"""

from collections.abc import Sequence

from arena.rules.cheat.cards import JOKER
from arena.rules.cheater.cards import COLORS, LETTERS

CHEATER_LETTERS = [LETTERS.index(letter) for letter in "CHEATER"]


def cheat_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Return by seat the mean number of moves needed in the deal minus the seat's own.

    A hand needs as many true moves as it has ranks, if every rank is laid at once; jokers go along with any rank. Hands
    are counts by card code.
    """
    return _above_mean([-_moves_needed(hand) for hand in hands])


def cheater_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Return by seat the letters of CHEATER in the seat's best colour minus the mean of the deal.

    Hands are lists of card codes.
    """
    return _above_mean([max(_letters(hand, color) for color in range(len(COLORS))) for hand in hands])


def _moves_needed(hand: Sequence[int]) -> int:
    ranks = sum(any(hand[first : first + 4]) for first in range(0, JOKER, 4))
    return ranks or bool(hand[JOKER])


def _letters(hand: Sequence[int], color: int) -> int:
    """Return the number of cards of a hand that fit into the word in this colour."""
    codes = [color * len(LETTERS) + letter for letter in CHEATER_LETTERS]
    return sum(min(hand.count(code), codes.count(code)) for code in set(codes))


def _above_mean(values: Sequence[float]) -> list[float]:
    mean = sum(values) / len(values)
    return [value - mean for value in values]
