"""Measures the luck of a hand of CHEATER."""

from collections.abc import Sequence

from arena.games.cheater.rules.cards import COLORS, LETTERS
from arena.replays.analytics.game_analytics import above_mean

CHEATER_LETTERS = [LETTERS.index(letter) for letter in "CHEATER"]


def cheater_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Return the luck of each seat: how many letters of CHEATER its hand has, minus the mean of the deal's hands.

    The letters of a hand are counted in its best colour. Hands are lists of card codes.
    """
    return above_mean([max(_letters(hand, color) for color in range(len(COLORS))) for hand in hands])


def _letters(hand: Sequence[int], color: int) -> int:
    """Return how many letters of CHEATER a hand has in this colour."""
    codes = [color * len(LETTERS) + letter for letter in CHEATER_LETTERS]
    return sum(min(hand.count(code), codes.count(code)) for code in set(codes))
