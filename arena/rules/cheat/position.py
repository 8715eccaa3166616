"""Tables set up by hand, for scenarios and tests: no full deck is needed."""

from collections.abc import Sequence
from typing import Any

from arena.rules.cheat.cards import counted, read_cards
from arena.rules.cheat.flow import begin_turn
from arena.rules.cheat.law import law_of
from arena.rules.cheat.options import read_ruleset
from arena.rules.cheat.ruleset import Ruleset
from arena.rules.cheat.state import Bottom, Phase, State, blank
from arena.rules.game import Seat, Style


def table(
    *hands: str, start: int = 0, pile: str = "", style: Style = Style.LIVE, preset: str = "standard", **options: Any
) -> State:
    """Set a table as it is read: `table("KS 4D", "QS 9D", start=1, passing="pass_turn")`."""
    rules = read_ruleset(preset, options)
    return placed(rules, style, [read_cards(hand.split()) for hand in hands], Seat(start), read_cards(pile.split()))


def placed(
    rules: Ruleset, style: Style, hands: Sequence[bytes], start: Seat, pile: bytes = b"", required_rank: int = 0
) -> State:
    """Set a table: the seat `start` leads a trick, nothing on the pile (bottom first) can be called."""
    state = blank(law_of(rules, style, len(hands)), Phase.TURN)
    state.hands = tuple(map(counted, hands))
    state.sizes = tuple(map(len, hands))
    state.bottom = (Bottom(None, pile),) if pile else ()
    state.turn = start
    state.required_rank = required_rank
    begin_turn(state)
    return state
