"""The entry point of CHEATER: its rules as an `arena.match.game.Game`."""

from collections.abc import Sequence

from arena.games.cheater.rules import (
    dealing,
    leaving,
    legality,
    narration,
    notation,
    questions,
    transition,
    views,
    winning,
)
from arena.games.cheater.rules.actions import Action, Allow, Hide
from arena.games.cheater.rules.narration import event_statistics
from arena.games.cheater.rules.questions import automatic_action
from arena.games.cheater.rules.ruleset import PRESETS, Ruleset, build_ruleset, ruleset_options
from arena.match.game import Style
from arena.match.options import check_player_limits


class CheaterGame:
    """The rules of CHEATER, which are the same in both styles. `arena.match.game.Game` describes each function."""

    name = "cheater"
    version = "1"
    presets: Sequence[str] = tuple(PRESETS)
    # Each function is bound directly. A wrapper method would take as long as most of these functions themselves.
    build_ruleset = staticmethod(build_ruleset)
    ruleset_options = staticmethod(ruleset_options)
    initial_state = staticmethod(dealing.initial_state)
    chance_request = staticmethod(dealing.chance_request)
    apply_chance = staticmethod(dealing.apply_chance)
    open_groups = staticmethod(questions.open_groups)
    why_illegal = staticmethod(legality.why_illegal)
    resolve = staticmethod(transition.resolve)
    automatic_action = staticmethod(automatic_action)
    leave = staticmethod(leaving.leave)
    redact = staticmethod(views.redact)
    snapshot = staticmethod(views.snapshot)
    outcome = staticmethod(winning.outcome)
    write_action = staticmethod(notation.write_action)
    read_action = staticmethod(notation.read_action)
    event_statistics = staticmethod(event_statistics)
    describe_event = staticmethod(narration.describe_event)

    def check_seats(self, ruleset: Ruleset, seat_count: int, style: Style) -> None:
        check_player_limits(seat_count, ruleset.players_min, ruleset.players_max)

    def is_settling(self, action: Action) -> bool:
        """Return True: every answer settles its question."""
        return True

    def is_move(self, action: Action) -> bool:
        """Return whether an action is a move. All actions are moves, except the answers to an attack."""
        return type(action) not in (Allow, Hide)


CHEATER = CheaterGame()
"""The only instance of the class, which has no state."""
