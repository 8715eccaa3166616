"""Cheat that begins from a table set up by hand, for matches under test."""

from typing import Any

from arena.rules.cheat.game import CheatGame
from arena.rules.cheat.position import position_from_text
from arena.rules.cheat.ruleset import Ruleset
from arena.rules.cheat.state import State
from arena.rules.game import GameSetup, Style


class PreparedCheat(CheatGame):
    """Every game begins from the same position; nothing is dealt."""

    def __init__(self, position: State) -> None:
        self.position = position

    def initial_state(self, ruleset: Ruleset, setup: GameSetup) -> State:
        """Give the position."""
        return self.position


def sealed_cheat(*hands: str, start: int = 0, **options: Any) -> PreparedCheat:
    """Set a table for the sealed pace: `sealed_cheat("KS 4D", "QS 9D", passing="pass_turn")`."""
    return PreparedCheat(position_from_text(*hands, start=start, style=Style.SEALED, **options))


def live_cheat(*hands: str, start: int = 0, **options: Any) -> PreparedCheat:
    """Set a table for the live pace."""
    return PreparedCheat(position_from_text(*hands, start=start, style=Style.LIVE, **options))
