"""The entry point of the Cheat family: its rules as an `arena.rules.game.Game`."""

from collections.abc import Sequence

from arena.rules.cheat import (
    cut_and_choose,
    dealing,
    leaving,
    legality,
    narration,
    notation,
    questions,
    transition,
    views,
)
from arena.rules.cheat.actions import Action, Believe, Call, Decline
from arena.rules.cheat.automatic_action import automatic_action
from arena.rules.cheat.compiled_rules import compile_rules
from arena.rules.cheat.event_statistics import event_statistics
from arena.rules.cheat.presets import PRESETS
from arena.rules.cheat.ruleset import Ruleset
from arena.rules.cheat.ruleset_options import build_ruleset, check_seat_count, ruleset_options
from arena.rules.cheat.state import State
from arena.rules.game import GameSetup, Outcome, Seat, Style, Transition


def _is_settling(action: Action) -> bool:
    """Return whether an answer settles a window: everything but a decline."""
    return not isinstance(action, Decline)


def _is_move(action: Action) -> bool:
    """Return whether an action is a play, a pass, a cut or a choice; an answer to another seat's move is not (A11)."""
    return not isinstance(action, Call | Believe | Decline)


def _check_seats(ruleset: Ruleset, seat_count: int, style: Style) -> None:  # noqa: ARG001  either style plays
    check_seat_count(ruleset, seat_count)


def _initial_state(ruleset: Ruleset, setup: GameSetup) -> State:
    return dealing.initial_state(compile_rules(ruleset, setup.style, setup.seat_count), setup.deal_moves)


def _leave(state: State, seat: Seat) -> Transition:
    return (
        cut_and_choose.leave(state, seat)
        if state.phase in cut_and_choose.CUTTING_PHASES
        else leaving.leave(state, seat)
    )


def _outcome(state: State) -> Outcome | None:
    return None if state.ended is None else Outcome(state.places, state.ended.value)


class CheatGame:
    """Cheat with house rules. `arena.rules.game.Game` describes each function."""

    name = "cheat"
    version = "1"
    presets: Sequence[str] = tuple(PRESETS)
    # Bound directly: a wrapper method around each would cost as much as most of these functions do.
    build_ruleset = staticmethod(build_ruleset)
    ruleset_options = staticmethod(ruleset_options)
    check_seats = staticmethod(_check_seats)
    initial_state = staticmethod(_initial_state)
    chance_request = staticmethod(dealing.chance_request)
    apply_chance = staticmethod(dealing.apply_chance)
    open_groups = staticmethod(questions.open_groups)
    why_illegal = staticmethod(legality.why_illegal)
    is_settling = staticmethod(_is_settling)
    is_move = staticmethod(_is_move)
    resolve = staticmethod(transition.resolve)
    automatic_action = staticmethod(automatic_action)
    leave = staticmethod(_leave)
    redact = staticmethod(views.redact)
    snapshot = staticmethod(views.snapshot)
    outcome = staticmethod(_outcome)
    write_action = staticmethod(notation.write_action)
    read_action = staticmethod(notation.read_action)
    event_statistics = staticmethod(event_statistics)
    describe_event = staticmethod(narration.describe_event)


CHEAT = CheatGame()
"""The one instance; it holds no state."""
