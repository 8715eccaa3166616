"""How good a dealt hand is, against the mean of the hands of its deal.

These measures were fixed before any result was looked at, as otherwise luck could be found wherever it is wanted; they
are no fit, and change only with a reason that has nothing to do with who won.
"""

from collections.abc import Sequence

from arena.rules.cheat.cards import JOKER
from arena.rules.cheater.cards import COLORS, LETTERS

CHEATER_LETTERS = [LETTERS.index(letter) for letter in "CHEATER"]


def cheat_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Moves that a seat can spare: the mean of the deal less its own, by seat.

    What is counted is how many true moves a hand needs to be empty if every rank is laid at once: as many as it has
    ranks, since jokers go along with any of them. Hands are counts by card code.
    """
    return _above_mean([-_moves_needed(hand) for hand in hands])


def cheater_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Letters of CHEATER that a seat has more than the mean of the deal in its best colour, by seat.

    Hands are lists of card codes.
    """
    return _above_mean([max(_letters(hand, color) for color in range(len(COLORS))) for hand in hands])


def _moves_needed(hand: Sequence[int]) -> int:
    ranks = sum(any(hand[first : first + 4]) for first in range(0, JOKER, 4))
    return ranks or bool(hand[JOKER])


def _letters(hand: Sequence[int], color: int) -> int:
    """How many cards of a hand have a place in the word of this colour."""
    codes = [color * len(LETTERS) + letter for letter in CHEATER_LETTERS]
    return sum(min(hand.count(code), codes.count(code)) for code in set(codes))


def _above_mean(values: Sequence[float]) -> list[float]:
    mean = sum(values) / len(values)
    return [value - mean for value in values]
