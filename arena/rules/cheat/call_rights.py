"""Who may call the last move, and when the game must wait for calls (spec A7, A10, A12)."""

from arena.rules.cheat.state import Phase, State
from arena.rules.game import Seat


def callers(state: State) -> tuple[Seat, ...]:
    """Return the seats that may call the last move, clockwise from its mover: all active ones, or only the next."""
    last, sizes = state.last, state.sizes
    if last is None:
        return ()
    mover = last.claim.seat
    if not state.compiled_rules.any_caller:
        return (state.turn,) if is_caller(state, state.turn) else ()
    return tuple([seat for seat in state.compiled_rules.ring[mover] if sizes[seat] and seat != mover])


def can_be_called(state: State) -> bool:
    """Return whether any seat may call the last move."""
    last = state.last
    if last is None:
        return False
    if state.compiled_rules.any_caller:
        return state.active_count() > (1 if state.sizes[last.claim.seat] else 0)
    return is_caller(state, state.turn)


def is_caller(state: State, seat: Seat) -> bool:
    """Return whether a seat may call the last move."""
    last = state.last
    if last is None or seat == last.claim.seat or not state.sizes[seat]:
        return False
    return state.compiled_rules.any_caller or seat == state.turn


def is_final_window_due(state: State) -> bool:
    """Return whether the last move needs a final window: nothing but a call can follow it (spec A10)."""
    return state.pending is not None and (state.compiled_rules.win_ends_all or state.active_count() < 2)


def is_last_window(state: State) -> bool:
    """Return whether a window on the last move is the last one: a final window, or `max_turns` is reached."""
    return is_final_window_due(state) or state.landed >= state.compiled_rules.max_turns


def should_open_window(state: State) -> bool:
    """Return whether a window on the last move must run before anything else happens.

    The seats asked are `callers`. With `any_caller`, a sealed window that closes leaves no last move, so it opens once.
    """
    if state.last is None or not can_be_called(state):
        return False
    compiled = state.compiled_rules
    if is_final_window_due(state):
        return True
    if compiled.in_turn:
        return False
    if not compiled.sealed:
        return state.landed >= compiled.max_turns
    return compiled.any_caller or state.turn not in state.asked or state.phase is Phase.WINDOW


def is_last_move_safe(state: State) -> bool:
    """Return whether a sealed move that only one seat may call is safe, because no seat is left to ask (A12.6)."""
    compiled = state.compiled_rules
    if state.last is None or state.prev is not None or not compiled.sealed or compiled.any_caller:
        return False
    return not can_be_called(state) or (not compiled.in_turn and state.turn in state.asked)
