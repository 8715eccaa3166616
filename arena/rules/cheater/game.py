"""The door of CHEATER: its rules behind the contract that every game keeps."""

from collections.abc import Sequence

from arena.rules.cheater import dealing, leaving, legality, notation, questions, telling, transition, views, winning
from arena.rules.cheater.actions import Action, Allow, Hide
from arena.rules.cheater.automatic import automatic
from arena.rules.cheater.options import read_ruleset, refuse_seats, write_ruleset
from arena.rules.cheater.presets import PRESETS
from arena.rules.cheater.ruleset import Ruleset
from arena.rules.cheater.tally import tally
from arena.rules.game import Style


def _refuse_seats(ruleset: Ruleset, seat_count: int, style: Style) -> None:  # noqa: ARG001  either style plays
    refuse_seats(ruleset, seat_count)


def _settles(action: Action) -> bool:  # noqa: ARG001  one seat is asked at a time
    """Every answer settles its question."""
    return True


def _is_move(action: Action) -> bool:
    """Everything but the answer to an attack."""
    return type(action) not in (Allow, Hide)


class CheaterGame:
    """CHEATER. Implements `arena.rules.game.Game`, where each function is described. Both styles play alike."""

    name = "cheater"
    version = "1"
    presets: Sequence[str] = tuple(PRESETS)
    # As they are, since a method around each would cost as much as most of them do.
    ruleset = staticmethod(read_ruleset)
    describe = staticmethod(write_ruleset)
    check_seats = staticmethod(_refuse_seats)
    new = staticmethod(dealing.new)
    chance = staticmethod(dealing.chance)
    draw = staticmethod(dealing.draw)
    groups = staticmethod(questions.groups)
    why_illegal = staticmethod(legality.why_illegal)
    settles = staticmethod(_settles)
    is_move = staticmethod(_is_move)
    resolve = staticmethod(transition.resolve)
    automatic = staticmethod(automatic)
    leave = staticmethod(leaving.leave)
    redact = staticmethod(views.redact)
    snapshot = staticmethod(views.snapshot)
    outcome = staticmethod(winning.outcome)
    write_action = staticmethod(notation.write_action)
    read_action = staticmethod(notation.read_action)
    tally = staticmethod(tally)
    tell = staticmethod(telling.tell)


CHEATER = CheaterGame()
"""The one instance; it holds no state."""
