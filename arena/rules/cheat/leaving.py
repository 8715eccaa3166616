"""A seat leaves: its cards go under the pile, it takes the worst free place, and play goes on (spec A10, A12.9)."""

from arena.rules.cheat.cards import EMPTY_HAND, Hand, listed
from arena.rules.cheat.events import Event, SeatLeft
from arena.rules.cheat.flow import end_passed_trick, go_on, pass_turn_on
from arena.rules.cheat.state import Bottom, Phase, State
from arena.rules.cheat.winning import finish_if_decided, free_places, set_place
from arena.rules.game import Seat, Step


def leave(state: State, seat: Seat) -> Step:
    """Take a seat out of the game at once. No effect on a seat that is out already, or when the game is over."""
    if state.phase in (Phase.DECK, Phase.FIRST_MOVER):
        raise ValueError("a seat cannot leave before the deal")
    if state.places[seat]:
        return Step(state, ())
    draft = state.draft()
    events: list[Event] = []
    cards = _surrender(draft, seat)
    place = free_places(draft)[-1]
    set_place(draft, seat, place)
    _touch_last_move(draft, seat)
    if not finish_if_decided(draft, events):
        _hand_on(draft, state, seat, events)
    return Step(draft, (SeatLeft(seat, cards, place, draft.to_move), *events))


def _surrender(draft: State, seat: Seat) -> Hand:
    """Put the seat's cards under the pile."""
    cards = draft.hands[seat]
    if draft.sizes[seat]:
        draft.bottom = (Bottom(seat, listed(cards)), *draft.bottom)
        draft.set_hand(seat, EMPTY_HAND, 0)
    return cards


def _touch_last_move(draft: State, seat: Seat) -> None:
    """The mover's leaving voids its move and its win; a bystander's makes callers wait anew."""
    if draft.last is None:
        return
    if draft.last.claim.seat == seat:
        draft.last = draft.pending = None
    else:
        draft.guarded = draft.step


def _hand_on(draft: State, before: State, seat: Seat, events: list[Event]) -> None:
    """Find the seat to move and reopen what was open."""
    moved = end_passed_trick(draft, events)
    if not moved and draft.turn == seat:
        pass_turn_on(draft, seat)
        moved = True
    if draft.law.sealed and before.phase is Phase.TURN and not moved:
        draft.turn_clock = draft.step
        return
    go_on(draft, events)
    if draft.closing and not before.closing and not draft.law.sealed:
        draft.window_clock = draft.step
