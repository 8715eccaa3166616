"""Measures the quality of a dealt hand, relative to the mean of the hands of its deal.

These measures were fixed before anybody looked at results, so that nobody could choose measures that fit the results. A
measure may only change for reasons that have nothing to do with who won.
"""

from collections.abc import Sequence

from arena.rules.cheat.cards import JOKER
from arena.rules.cheater.cards import COLORS, LETTERS

CHEATER_LETTERS = [LETTERS.index(letter) for letter in "CHEATER"]


def cheat_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Return the luck of each seat: how many fewer moves its hand needs than the hands of the deal need on average.

    A hand needs one true move for each of its ranks, if all cards of a rank are laid in one move. Jokers go along with
    any rank. Hands are counts by card code.
    """
    return _above_mean([-_moves_needed(hand) for hand in hands])


def cheater_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Return the luck of each seat: how many letters of CHEATER its hand has, minus the mean of the deal's hands.

    The letters of a hand are counted in its best colour. Hands are lists of card codes.
    """
    return _above_mean([max(_letters(hand, color) for color in range(len(COLORS))) for hand in hands])


def _moves_needed(hand: Sequence[int]) -> int:
    ranks = sum(any(hand[first : first + 4]) for first in range(0, JOKER, 4))
    return ranks or bool(hand[JOKER])


def _letters(hand: Sequence[int], color: int) -> int:
    """Return how many letters of CHEATER a hand has in this colour."""
    codes = [color * len(LETTERS) + letter for letter in CHEATER_LETTERS]
    return sum(min(hand.count(code), codes.count(code)) for code in set(codes))


def _above_mean(values: Sequence[float]) -> list[float]:
    mean = sum(values) / len(values)
    return [value - mean for value in values]
