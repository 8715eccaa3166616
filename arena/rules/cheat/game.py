"""The door of the Cheat family: its rules behind the contract that every game keeps."""

from collections.abc import Sequence

from arena.rules.cheat import (
    cutting,
    dealing,
    leaving,
    legality,
    notation,
    questions,
    telling,
    transition,
    views,
)
from arena.rules.cheat.actions import Action, Believe, Call, Decline
from arena.rules.cheat.automatic import automatic
from arena.rules.cheat.law import law_of
from arena.rules.cheat.options import read_ruleset, refuse_seats, write_ruleset
from arena.rules.cheat.presets import PRESETS
from arena.rules.cheat.ruleset import Ruleset
from arena.rules.cheat.state import State
from arena.rules.cheat.tally import tally
from arena.rules.game import GameSetup, Outcome, Seat, Step, Style


def _settles(action: Action) -> bool:
    """Everything but a decline settles."""
    return not isinstance(action, Decline)


def _is_move(action: Action) -> bool:
    """A play, a pass, a cut or a choice; what is said of another's move is none (spec A11)."""
    return not isinstance(action, Call | Believe | Decline)


def _refuse_seats(ruleset: Ruleset, seat_count: int, style: Style) -> None:  # noqa: ARG001  either style plays
    refuse_seats(ruleset, seat_count)


def _new(ruleset: Ruleset, setup: GameSetup) -> State:
    return dealing.new(law_of(ruleset, setup.style, setup.seat_count), setup.deal_moves)


def _leave(state: State, seat: Seat) -> Step:
    return cutting.leave(state, seat) if state.phase in cutting.CUTTING else leaving.leave(state, seat)


def _outcome(state: State) -> Outcome | None:
    return None if state.ended is None else Outcome(state.places, state.ended.value)


class CheatGame:
    """Cheat with house rules. Implements `arena.rules.game.Game`, where each function is described."""

    name = "cheat"
    version = "1"
    presets: Sequence[str] = tuple(PRESETS)
    # As they are, since a method around each would cost as much as most of them do.
    ruleset = staticmethod(read_ruleset)
    describe = staticmethod(write_ruleset)
    check_seats = staticmethod(_refuse_seats)
    new = staticmethod(_new)
    chance = staticmethod(dealing.chance)
    draw = staticmethod(dealing.draw)
    groups = staticmethod(questions.groups)
    why_illegal = staticmethod(legality.why_illegal)
    settles = staticmethod(_settles)
    is_move = staticmethod(_is_move)
    resolve = staticmethod(transition.resolve)
    automatic = staticmethod(automatic)
    leave = staticmethod(_leave)
    redact = staticmethod(views.redact)
    snapshot = staticmethod(views.snapshot)
    outcome = staticmethod(_outcome)
    write_action = staticmethod(notation.write_action)
    read_action = staticmethod(notation.read_action)
    tally = staticmethod(tally)
    tell = staticmethod(telling.tell)


CHEAT = CheatGame()
"""The one instance; it holds no state."""
