"""Who may call the last move, and when that has to be waited for (spec A7, A10, A12)."""

from arena.rules.cheat.state import Phase, State
from arena.rules.game import Seat


def callers(state: State) -> tuple[Seat, ...]:
    """Seats that may call the last move, clockwise from its mover: every active one, or the seat to move alone."""
    last, sizes = state.last, state.sizes
    if last is None:
        return ()
    mover = last.claim.seat
    if not state.compiled_rules.any_caller:
        return (state.turn,) if is_caller(state, state.turn) else ()
    return tuple([seat for seat in state.compiled_rules.ring[mover] if sizes[seat] and seat != mover])


def can_be_called(state: State) -> bool:
    """Tell whether anybody may call the last move."""
    last = state.last
    if last is None:
        return False
    if state.compiled_rules.any_caller:
        return state.active_count() > (1 if state.sizes[last.claim.seat] else 0)
    return is_caller(state, state.turn)


def is_caller(state: State, seat: Seat) -> bool:
    """Tell whether a seat may call the last move."""
    last = state.last
    if last is None or seat == last.claim.seat or not state.sizes[seat]:
        return False
    return state.compiled_rules.any_caller or seat == state.turn


def is_final_window_due(state: State) -> bool:
    """Tell whether the last move needs a final window: nothing but a call can follow it (spec A10)."""
    return state.pending is not None and (state.compiled_rules.win_ends_all or state.active_count() < 2)


def is_last_window(state: State) -> bool:
    """Tell whether no turn follows a window on the last move: it is a final one, or the last that the guard allows."""
    return is_final_window_due(state) or state.landed >= state.compiled_rules.max_turns


def should_open_window(state: State) -> bool:
    """Tell whether seats are to be heard about the last move before anything else happens.

    Whoever is asked is `callers`. Where everybody is asked, a sealed window that has closed leaves no last move behind.
    """
    if state.last is None or not can_be_called(state):
        return False
    law = state.compiled_rules
    if is_final_window_due(state):
        return True
    if law.in_turn:
        return False
    if not law.sealed:
        return state.landed >= law.max_turns
    return law.any_caller or state.turn not in state.asked or state.phase is Phase.WINDOW


def is_last_move_safe(state: State) -> bool:
    """Tell whether a sealed move that only the seat to move may call is safe, since nobody is left to ask (A12.6)."""
    law = state.compiled_rules
    if state.last is None or state.prev is not None or not law.sealed or law.any_caller:
        return False
    return not can_be_called(state) or (not law.in_turn and state.turn in state.asked)
