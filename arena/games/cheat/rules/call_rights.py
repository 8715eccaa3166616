"""Who may call the last move, and when the game must wait for calls (spec A7, A10, A12)."""

from arena.games.cheat.rules.state import Phase, State
from arena.match.game import Seat


def callers(state: State) -> tuple[Seat, ...]:
    """Return the seats that may call the last move, clockwise from its mover.

    These are all active seats but the mover, or only the seat to move if `any_caller` is off.
    """
    last, sizes = state.last, state.sizes
    if last is None:
        return ()
    mover = last.claim.seat
    if not state.compiled_rules.any_caller:
        return (state.turn,) if is_caller(state, state.turn) else ()
    return tuple([seat for seat in state.compiled_rules.ring[mover] if sizes[seat] and seat != mover])


def can_be_called(state: State) -> bool:
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
    """Return whether the last move needs a final window, because its win must be decided before the next turn (A10)."""
    return state.pending is not None and (state.compiled_rules.win_ends_all or state.active_count() < 2)


def is_last_window(state: State) -> bool:
    """Return whether no turn follows a window on the last move: the window is final, or `max_turns` is reached."""
    return is_final_window_due(state) or state.landed >= state.compiled_rules.max_turns


def should_open_window(state: State) -> bool:
    """Return whether a window on the last move must run before anything else happens.

    The window asks the seats that `callers` returns. With `any_caller`, a sealed window opens only once for each move,
    because the move can no longer be called when the window has closed.
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
    """Return whether the last move can no longer be called because nobody is left to ask (spec A12.6).

    This can happen only in sealed games that ask seats one by one, and only when a new trick is due.
    """
    compiled = state.compiled_rules
    if state.last is None or state.prev is not None or not compiled.sealed or compiled.any_caller:
        return False
    return not can_be_called(state) or (not compiled.in_turn and state.turn in state.asked)
