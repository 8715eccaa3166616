"""The move made for a seat that does not answer (spec A11). Depends on its own hand and public facts alone."""

from arena.rules.cheat.actions import DECLINE, PASS, Action, Play
from arena.rules.cheat.cards import lowest
from arena.rules.cheat.legality import turn_options
from arena.rules.cheat.state import State, TurnOptions
from arena.rules.game import Seat


def automatic(state: State, seat: Seat, kind: str) -> Action:
    """Decline a window; in a turn pass, else lay nothing, else lay the fewest and lowest cards."""
    if kind == "window":
        return DECLINE
    options = turn_options(state)
    if options.can_pass:
        return PASS
    count = 0 if options.zero else options.counts[0][0]
    return Play(lowest(state.hands[seat], count), count, _rank(state, options))


def _rank(state: State, options: TurnOptions) -> int:
    """The previous rank if it is legal, else the lowest legal one."""
    if state.prev is not None and state.prev.rank in options.ranks:
        return state.prev.rank
    return options.ranks[0]
