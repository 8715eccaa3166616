"""Leaving: the seat's cards go into the draw pile, it takes the worst free place, play goes on (spec B7, A12.9)."""

from arena.rules.cheater.cards import HAND_SIZE
from arena.rules.cheater.dealing import chance_request
from arena.rules.cheater.events import Event, SeatLeft
from arena.rules.cheater.flow import schedule_draws
from arena.rules.cheater.state import OwedDraw, Phase, State
from arena.rules.cheater.winning import win_as_last, worst_free_place
from arena.rules.game import Seat, Transition


def leave(state: State, seat: Seat) -> Transition:
    """Remove a seat from the game at once. No effect on a seat that is already out, or when the game is over."""
    if chance_request(state) is not None:
        raise ValueError("a seat cannot leave while cards or dice are awaited")
    return leave_between_draws(state, seat)


def leave_between_draws(state: State, seat: Seat) -> Transition:
    """Leave, also before the dice of a turn. A match draws those at once; a position set up by hand may stop there."""
    if state.ended is not None or state.has_left(seat):
        return Transition(state, ())
    draft = state.draft()
    events: list[Event] = []
    _surrender(draft, seat, events)
    stayers = draft.present_seats()
    if len(stayers) == 1:
        win_as_last(draft, stayers[0], events)
    else:
        draft.leaver = seat
        _update_turn(draft, seat)
    return Transition(draft, tuple(events))


def _surrender(draft: State, seat: Seat, events: list[Event]) -> None:
    """Take away the seat's cards and marker, and give it its place."""
    place = worst_free_place(draft)
    cards = draft.surrender(seat)
    draft.draw_pile += cards
    draft.places = (*draft.places[:seat], place, *draft.places[seat + 1 :])
    if draft.cheater == seat:
        draft.cheater = None
    events.append(SeatLeft(seat, cards, place, draft.cheater))


def _update_turn(draft: State, seat: Seat) -> None:
    """Break off the leaver's turn or an attack on it; else keep the open question, a turn's with fresh time."""
    victim = None if draft.attacking is None else draft.attacking.target
    if seat == draft.turn:
        _break_off_turn(draft, victim)
    elif seat == victim:
        _break_off_turn(draft, draft.turn)
    elif draft.phase is not Phase.REACTION:
        draft.clock = draft.step


def _break_off_turn(draft: State, other: Seat | None) -> None:
    """Make the turn end once the cards are shuffled in; the other side of an attack draws to seven."""
    owed = [] if other is None else [OwedDraw(other, HAND_SIZE - len(draft.hands[other]))]
    schedule_draws(draft, *owed)
    draft.phase = Phase.DRAWS
