"""Continues the game after a move: the end of the game, a window, or a turn (spec A8, A10, A12.1)."""

from arena.games.cheat.rules.call_rights import can_be_called, is_last_move_safe, is_last_window, should_open_window
from arena.games.cheat.rules.events import Event, FinalWindowOpened, PileBanished
from arena.games.cheat.rules.ruleset import Passing
from arena.games.cheat.rules.state import Phase, State
from arena.games.cheat.rules.tricks import banish_pile
from arena.games.cheat.rules.winning import confirm_win, finish_if_decided, stop_at_max_turns


def advance(draft: State, events: list[Event]) -> None:
    """Begin the next step of the game: its end, a window with no turn open beside it, or a turn."""
    if finish_if_decided(draft, events):
        return
    banish_pile_if_due(draft, events)
    if should_open_window(draft):
        open_window(draft, events)
    elif is_last_move_safe(draft):
        settle_last_move(draft, events)
        advance(draft, events)
    elif draft.landed >= draft.compiled_rules.max_turns:
        stop_at_max_turns(draft, events)
    else:
        begin_turn(draft)


def begin_turn(draft: State) -> None:
    draft.phase = Phase.TURN
    draft.closing = False
    draft.turn_serial += 1
    draft.turn_clock = draft.step
    compiled = draft.compiled_rules
    if draft.passed and compiled.rules.passing is Passing.PASS_TURN:
        draft.passed -= {draft.turn}
    if not (compiled.any_caller or compiled.in_turn or compiled.sealed) and can_be_called(draft):
        _open_window_for_seat_to_move(draft)


def settle_last_move(draft: State, events: list[Event]) -> None:
    """Make the last move safe: it can no longer be called, and if it wins, the win is final."""
    draft.last = None
    confirm_win(draft, events)


def open_window(draft: State, events: list[Event]) -> None:
    """Open a window, or continue the open one."""
    closing = is_last_window(draft)
    if not draft.compiled_rules.any_caller:
        _open_window_for_seat_to_move(draft)
    draft.phase = Phase.WINDOW
    if closing and not draft.closing and draft.last is not None:
        events.append(FinalWindowOpened(draft.last.claim.seat))
    draft.closing = closing


def banish_pile_if_due(draft: State, events: list[Event]) -> None:
    """Remove the pile from the game if a new trick is due and no seat may call the last move any more (spec A8)."""
    if (
        draft.compiled_rules.banishes
        and draft.prev is None
        and (draft.pile or draft.bottom)
        and not can_be_called(draft)
    ):
        events.append(PileBanished(banish_pile(draft), draft.compiled_rules.rules.sizes_visible))


def _open_window_for_seat_to_move(draft: State) -> None:
    """Open a window that asks only the seat to move, unless this window is open already (spec A12.3, A12.8)."""
    is_open = draft.phase is Phase.WINDOW or not draft.compiled_rules.sealed
    if draft.turn in draft.asked and is_open:
        return
    draft.asked |= {draft.turn}
    draft.window_serial += 1
    if draft.compiled_rules.sealed:
        draft.window_clock = draft.step
