"""Leaving: the seat's cards go under the pile, it takes the worst free place, play goes on (spec A10, A12.9)."""

from arena.rules.cheat.call_rights import is_final_window_due, should_open_window
from arena.rules.cheat.cards import EMPTY_HAND, Hand, cards_from_hand
from arena.rules.cheat.events import Event, SeatLeft
from arena.rules.cheat.flow import advance, banish_pile_if_due, open_window
from arena.rules.cheat.state import BEFORE_PLAY, Bottom, Phase, State
from arena.rules.cheat.tricks import end_passed_trick, pass_turn_on
from arena.rules.cheat.winning import finish_if_decided, free_places, set_place
from arena.rules.game import Seat, Transition


def leave(state: State, seat: Seat) -> Transition:
    """Remove a seat from the game at once. No effect on a seat that is already out, or when the game is over."""
    if state.phase in BEFORE_PLAY:
        raise ValueError("a seat cannot leave before the deal")
    if state.places[seat]:
        return Transition(state, ())
    draft = state.draft()
    events: list[Event] = []
    remove_seat(draft, seat, events)
    return Transition(draft, events)


def remove_seat(draft: State, seat: Seat, events: list[Event]) -> None:
    """Remove a seat within a transition. No effect on a seat that already has a place."""
    if draft.places[seat]:
        return
    was_final = is_final_window_due(draft)
    cards = _surrender(draft, seat)
    place = free_places(draft)[-1]
    set_place(draft, seat, place)
    _update_last_move(draft, seat)
    following: list[Event] = []
    if not finish_if_decided(draft, following):
        _advance_after_leave(draft, seat, following)
    if is_final_window_due(draft) and not was_final and not draft.compiled_rules.sealed:
        draft.window_clock = draft.step
    events += [SeatLeft(seat, cards, place, draft.to_move, draft.compiled_rules.rules.sizes_visible), *following]


def _surrender(draft: State, seat: Seat) -> Hand:
    """Put the seat's cards under the pile."""
    cards = draft.hands[seat]
    if draft.sizes[seat]:
        draft.bottom = (Bottom(seat, cards_from_hand(cards)), *draft.bottom)
        draft.set_hand(seat, EMPTY_HAND, 0)
    return cards


def _update_last_move(draft: State, seat: Seat) -> None:
    """Void the last move and its win if the mover left; if another seat left, restart the guard time of callers."""
    if draft.last is None:
        return
    if draft.last.claim.seat == seat:
        draft.last = draft.pending = None
    else:
        draft.guarded = draft.step


def _advance_after_leave(draft: State, seat: Seat, events: list[Event]) -> None:
    """Set the seat to move and reopen the turn or window that was open."""
    is_turn_kept = not _pass_on_turn_if_due(draft, seat, events)
    if draft.compiled_rules.sealed and draft.phase is Phase.TURN and is_turn_kept:
        _resume_turn(draft, events)
        return
    if not draft.compiled_rules.any_caller and not is_turn_kept:
        draft.phase = Phase.TURN  # the window belonged to the seat that was to move
    advance(draft, events)


def _pass_on_turn_if_due(draft: State, seat: Seat, events: list[Event]) -> bool:
    """End the trick if only the leaver kept it going, or pass its turn on. Return whether it did either."""
    if end_passed_trick(draft, events):
        return True
    if draft.turn != seat:
        return False
    pass_turn_on(draft, seat)
    return True


def _resume_turn(draft: State, events: list[Event]) -> None:
    """Continue a sealed turn with a fresh clock, unless a final window is now due."""
    banish_pile_if_due(draft, events)
    if should_open_window(draft):
        open_window(draft, events)
    else:
        draft.turn_clock = draft.step
