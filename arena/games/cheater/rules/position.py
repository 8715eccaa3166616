"""Positions set up by hand, for scenarios and tests; they need no full pack."""

from collections.abc import Sequence
from typing import Any

from arena.errors import NotationError
from arena.games.cheater.rules.cards import COLORS, read_cards, sort_cards
from arena.games.cheater.rules.dealing import begin_first_turn, initial_state
from arena.games.cheater.rules.ruleset import Ruleset
from arena.games.cheater.rules.ruleset_options import build_ruleset
from arena.games.cheater.rules.state import EarlierWin, State
from arena.match.game import GameSetup, Seat, Style


def position_from_text(
    *hands: str,
    draw: str = "",
    discard: str = "BT",
    start: int = 0,
    cheater: int | None = None,
    history: Sequence[tuple[int | None, object]] = (),
    **options: Any,
) -> State:
    """Build a position from text: `position_from_text("RC RH …", "YC YH …", draw="PE PA", cheater=1)`."""
    rules = build_ruleset("cheater", options)
    state = build_position(rules, [read_cards(hand.split()) for hand in hands], Seat(start), history)
    state.draw_pile, state.discards = read_cards(draw.split()), read_cards(discard.split())
    state.cheater = None if cheater is None else Seat(cheater)
    return state


def build_position(
    rules: Ruleset, hands: Sequence[bytes], start: Seat, history: Sequence[tuple[int | None, object]] = ()
) -> State:
    """Build a position just after the deal: seat `start` rolls, unless a hand has already won.

    `history` lists the winner and the colour of each earlier game of the match. If nobody won a game by spelling
    CHEATER, the game has no colour.
    """
    state = initial_state(rules, GameSetup(len(hands), 0, Style.LIVE))
    state.earlier = tuple(_earlier_win(seat, color) for seat, color in history[-2:])
    state.hands = tuple(map(sort_cards, hands))
    begin_first_turn(state, start, [])
    return state


def _earlier_win(seat: int | None, color: object) -> EarlierWin | None:
    """Return the winner and the colour of an earlier game; None if nobody won it by spelling CHEATER.

    Raises NotationError for an unknown colour.
    """
    if seat is None or color is None:
        return None
    if color not in tuple(COLORS):
        raise NotationError(str(color), f"one of {', '.join(COLORS)}, or null")
    return EarlierWin(Seat(seat), COLORS.index(color))
