"""Positions set up by hand, for scenarios and tests; they need no full deck."""

from collections.abc import Sequence
from typing import Any

from arena.games.cheat.rules.cards import hand_from_cards, read_cards
from arena.games.cheat.rules.compiled_rules import compile_rules
from arena.games.cheat.rules.flow import begin_turn
from arena.games.cheat.rules.ruleset import Ruleset
from arena.games.cheat.rules.ruleset_options import build_ruleset
from arena.games.cheat.rules.state import Bottom, Phase, State, empty_state
from arena.match.game import Seat, Style


def position_from_text(
    *hands: str, start: int = 0, pile: str = "", style: Style = Style.LIVE, preset: str = "standard", **options: Any
) -> State:
    """Build a position from text: `position_from_text("KS 4D", "QS 9D", start=1, passing="pass_turn")`."""
    rules = build_ruleset(preset, options)
    return build_position(
        rules, style, [read_cards(hand.split()) for hand in hands], Seat(start), read_cards(pile.split())
    )


def build_position(
    rules: Ruleset, style: Style, hands: Sequence[bytes], start: Seat, pile: bytes = b"", required_rank: int = 0
) -> State:
    """Build a position in which seat `start` leads a trick.

    `pile` has the cards of earlier moves, the lowest first. Nobody can call these moves any more.
    """
    state = empty_state(compile_rules(rules, style, len(hands)), Phase.TURN)
    state.hands = tuple(map(hand_from_cards, hands))
    state.sizes = tuple(map(len, hands))
    state.bottom = (Bottom(None, pile),) if pile else ()
    state.turn = start
    state.required_rank = required_rank
    begin_turn(state)
    return state
