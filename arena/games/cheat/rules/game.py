"""The entry point of the Cheat family: its rules as an `arena.match.game.Game`."""

from collections.abc import Sequence

from arena.games.cheat.rules import (
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
from arena.games.cheat.rules.actions import Action, Believe, Call, Decline
from arena.games.cheat.rules.compiled_rules import compile_rules
from arena.games.cheat.rules.narration import event_statistics
from arena.games.cheat.rules.presets import PRESETS
from arena.games.cheat.rules.questions import automatic_action
from arena.games.cheat.rules.ruleset import Ruleset
from arena.games.cheat.rules.ruleset_options import build_ruleset, check_seat_count, ruleset_options
from arena.games.cheat.rules.state import State
from arena.match.game import GameSetup, Outcome, Seat, Style, Transition


class CheatGame:
    """Cheat with house rules. `arena.match.game.Game` describes each function."""

    name = "cheat"
    version = "1"
    presets: Sequence[str] = tuple(PRESETS)
    # Each function is bound directly. A wrapper method would take as long as most of these functions themselves.
    build_ruleset = staticmethod(build_ruleset)
    ruleset_options = staticmethod(ruleset_options)
    chance_request = staticmethod(dealing.chance_request)
    apply_chance = staticmethod(dealing.apply_chance)
    open_groups = staticmethod(questions.open_groups)
    why_illegal = staticmethod(legality.why_illegal)
    resolve = staticmethod(transition.resolve)
    automatic_action = staticmethod(automatic_action)
    redact = staticmethod(views.redact)
    snapshot = staticmethod(views.snapshot)
    write_action = staticmethod(notation.write_action)
    read_action = staticmethod(notation.read_action)
    event_statistics = staticmethod(event_statistics)
    describe_event = staticmethod(narration.describe_event)

    def check_seats(self, ruleset: Ruleset, seat_count: int, style: Style) -> None:
        check_seat_count(ruleset, seat_count)

    def initial_state(self, ruleset: Ruleset, setup: GameSetup) -> State:
        return dealing.initial_state(compile_rules(ruleset, setup.style, setup.seat_count), setup.deal_moves)

    def is_settling(self, action: Action) -> bool:
        """Return whether an answer settles a window. All answers do, except a decline."""
        return not isinstance(action, Decline)

    def is_move(self, action: Action) -> bool:
        """Return whether an action is a play, a pass, a cut or a choice, and not an answer to another seat (A11)."""
        return not isinstance(action, Call | Believe | Decline)

    def leave(self, state: State, seat: Seat) -> Transition:
        """Remove a seat from the game. If the hands are not dealt yet, the seat leaves as soon as they are dealt."""
        if state.phase in cut_and_choose.CUTTING_PHASES:
            return cut_and_choose.leave(state, seat)
        return leaving.leave(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        return None if state.ended is None else Outcome(state.places, state.ended.value)


CHEAT = CheatGame()
"""The only instance of the class, which has no state."""
