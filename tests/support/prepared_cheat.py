"""Games of Cheat that begin from a given position, for tests of matches."""

from typing import Any

from arena.games.cheat.rules.game import CheatGame
from arena.games.cheat.rules.ruleset import Ruleset
from arena.games.cheat.rules.scenario_adapter import position_from_text
from arena.games.cheat.rules.state import State
from arena.match.game import GameSetup, Style


class PreparedCheat(CheatGame):
    """Cheat in which every game begins from the same position, without a deal."""

    def __init__(self, position: State) -> None:
        self.position = position

    def initial_state(self, ruleset: Ruleset, setup: GameSetup) -> State:
        """Return the position, whatever the ruleset and the setup are."""
        return self.position


def sealed_cheat(*hands: str, start: int = 0, **options: Any) -> PreparedCheat:
    """Return a game with these hands for the sealed pace: `sealed_cheat("KS 4D", "QS 9D", passing="pass_turn")`."""
    return PreparedCheat(position_from_text(*hands, start=start, style=Style.SEALED, **options))


def live_cheat(*hands: str, start: int = 0, **options: Any) -> PreparedCheat:
    """Return a game with these hands for the live pace."""
    return PreparedCheat(position_from_text(*hands, start=start, style=Style.LIVE, **options))
