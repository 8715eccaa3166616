"""Measures the luck of a hand of Cheat."""

from collections.abc import Sequence

from arena.games.cheat.rules.cards import JOKER
from arena.replays.analytics.game_analytics import above_mean


def cheat_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Return the luck of each seat: how many fewer moves its hand needs than the hands of the deal need on average.

    A hand needs one true move for each of its ranks, if all cards of a rank are laid in one move. Jokers go along with
    any rank. Hands are counts by card code.
    """
    return above_mean([-_moves_needed(hand) for hand in hands])


def _moves_needed(hand: Sequence[int]) -> int:
    ranks = sum(any(hand[first : first + 4]) for first in range(0, JOKER, 4))
    return ranks or bool(hand[JOKER])
