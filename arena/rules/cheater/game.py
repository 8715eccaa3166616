"""The entry point of CHEATER: its rules as an `arena.rules.game.Game`."""

from collections.abc import Sequence

from arena.rules.cheater import dealing, leaving, legality, narration, notation, questions, transition, views, winning
from arena.rules.cheater.actions import Action, Allow, Hide
from arena.rules.cheater.automatic_action import automatic_action
from arena.rules.cheater.event_statistics import event_statistics
from arena.rules.cheater.presets import PRESETS
from arena.rules.cheater.ruleset import Ruleset
from arena.rules.cheater.ruleset_options import build_ruleset, check_seat_count, ruleset_options
from arena.rules.game import Style


def _check_seats(ruleset: Ruleset, seat_count: int, style: Style) -> None:  # noqa: ARG001  either style plays
    check_seat_count(ruleset, seat_count)


def _is_settling(action: Action) -> bool:  # noqa: ARG001  one seat is asked at a time
    """Return True: every answer settles its question."""
    return True


def _is_move(action: Action) -> bool:
    """Return whether an action is a move: everything but the answer to an attack."""
    return type(action) not in (Allow, Hide)


class CheaterGame:
    """CHEATER; plays the same in both styles. `arena.rules.game.Game` describes each function."""

    name = "cheater"
    version = "1"
    presets: Sequence[str] = tuple(PRESETS)
    # Bound directly: a wrapper method around each would cost as much as most of these functions do.
    build_ruleset = staticmethod(build_ruleset)
    ruleset_options = staticmethod(ruleset_options)
    check_seats = staticmethod(_check_seats)
    initial_state = staticmethod(dealing.initial_state)
    chance_request = staticmethod(dealing.chance_request)
    apply_chance = staticmethod(dealing.apply_chance)
    open_groups = staticmethod(questions.open_groups)
    why_illegal = staticmethod(legality.why_illegal)
    is_settling = staticmethod(_is_settling)
    is_move = staticmethod(_is_move)
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


CHEATER = CheaterGame()
"""The one instance; it holds no state."""
