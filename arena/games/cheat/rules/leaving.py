"""Leaving: a seat puts its cards under the pile and takes the worst free place (spec A10, A12.9).

If the last mover leaves, its move can no longer be called, and its pending win is lost. If another seat leaves, the
guard time of calls starts again.
"""

from arena.games.cheat.rules.call_rights import is_final_window_due, should_open_window
from arena.games.cheat.rules.cards import EMPTY_HAND, cards_from_hand
from arena.games.cheat.rules.events import Event, SeatLeft
from arena.games.cheat.rules.flow import advance, banish_pile_if_due, open_window
from arena.games.cheat.rules.state import BEFORE_PLAY, Bottom, Phase, State
from arena.games.cheat.rules.tricks import end_passed_trick, pass_turn_on
from arena.games.cheat.rules.winning import finish_if_decided, free_places, set_place
from arena.match.game import Seat, Transition


def leave(state: State, seat: Seat) -> Transition:
    """Remove a seat from the game immediately. This does nothing if the seat is out already or the game is over."""
    if state.phase in BEFORE_PLAY:
        raise ValueError("a seat cannot leave before the deal")
    if state.places[seat]:
        return Transition(state, ())
    draft = state.draft()
    events: list[Event] = []
    remove_seat(draft, seat, events)
    return Transition(draft, events)


def remove_seat(draft: State, seat: Seat, events: list[Event]) -> None:
    """Remove a seat as part of a transition. This does nothing if the seat already has a place."""
    if draft.places[seat]:
        return
    was_final = is_final_window_due(draft)
    cards, place = draft.hands[seat], free_places(draft)[-1]
    if draft.sizes[seat]:
        draft.bottom = (Bottom(seat, cards_from_hand(cards)), *draft.bottom)
        draft.set_hand(seat, EMPTY_HAND, 0)
    set_place(draft, seat, place)
    if draft.last is not None and draft.last.claim.seat == seat:
        draft.last = draft.pending = None
    elif draft.last is not None:
        draft.guarded = draft.step
    following: list[Event] = []
    if not finish_if_decided(draft, following):
        _advance_after_leave(draft, seat, following)
    if is_final_window_due(draft) and not was_final and not draft.compiled_rules.sealed:
        draft.window_clock = draft.step
    events += [SeatLeft(seat, cards, place, draft.to_move, draft.compiled_rules.rules.sizes_visible), *following]


def _advance_after_leave(draft: State, seat: Seat, events: list[Event]) -> None:
    """Set the seat to move, and reopen the turn or window that was open."""
    is_turn_kept = False
    if not end_passed_trick(draft, events):
        is_turn_kept = draft.turn != seat
        if not is_turn_kept:
            pass_turn_on(draft, seat)
    if is_turn_kept and draft.compiled_rules.sealed and draft.phase is Phase.TURN:
        banish_pile_if_due(draft, events)
        if should_open_window(draft):
            open_window(draft, events)
        else:
            draft.turn_clock = draft.step  # the same turn goes on, with its full time
        return
    if not draft.compiled_rules.any_caller and not is_turn_kept:
        draft.phase = Phase.TURN  # the window belonged to the seat that was to move
    advance(draft, events)
