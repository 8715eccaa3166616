"""Leaving: a seat puts its cards into the draw pile and takes the worst free place (spec B7, A12.9)."""

from arena.games.cheater.rules.cards import HAND_SIZE
from arena.games.cheater.rules.dealing import chance_request
from arena.games.cheater.rules.events import Event, SeatLeft
from arena.games.cheater.rules.flow import schedule_draws
from arena.games.cheater.rules.state import OwedDraw, Phase, State
from arena.games.cheater.rules.winning import win_as_last, worst_free_place
from arena.match.game import Seat, Transition


def leave(state: State, seat: Seat) -> Transition:
    """Remove a seat from the game immediately. This does nothing if the seat is out already or the game is over."""
    if chance_request(state) is not None:
        raise ValueError("a seat cannot leave while cards or dice are awaited")
    return leave_between_draws(state, seat)


def leave_between_draws(state: State, seat: Seat) -> Transition:
    """Remove a seat, even while a turn waits for its dice.

    In a match the dice are rolled immediately, so a turn waits for dice only in a position set up by hand.
    """
    if state.ended is not None or state.has_left(seat):
        return Transition(state, ())
    draft = state.draft()
    events: list[Event] = []
    place = worst_free_place(draft)
    cards = draft.surrender(seat)
    draft.draw_pile += cards
    draft.places = (*draft.places[:seat], place, *draft.places[seat + 1 :])
    if draft.cheater == seat:
        draft.cheater = None
    events.append(SeatLeft(seat, cards, place, draft.cheater))
    remaining = draft.present_seats()
    if len(remaining) == 1:
        win_as_last(draft, remaining[0], events)
    else:
        draft.leaver = seat
        _update_turn(draft, seat)
    return Transition(draft, tuple(events))


def _update_turn(draft: State, seat: Seat) -> None:
    """Break off the turn if the leaver is in turn or is attacked. Otherwise the open question stays open.

    If this question asks the seat in turn, the full time starts again. If it asks the victim of an attack, the time
    continues as before.
    """
    victim = None if draft.attacking is None else draft.attacking.target
    if seat == draft.turn:
        _break_off_turn(draft, victim)
    elif seat == victim:
        _break_off_turn(draft, draft.turn)
    elif draft.phase is not Phase.REACTION:
        draft.clock = draft.step


def _break_off_turn(draft: State, other: Seat | None) -> None:
    """Make the turn end as soon as the leaver's cards are shuffled in.

    `other` is the other seat of the turn's attack, or None. Before the turn ends, `other` draws up to seven cards.
    """
    owed = [] if other is None else [OwedDraw(other, HAND_SIZE - len(draft.hands[other]))]
    schedule_draws(draft, *owed)
    draft.phase = Phase.DRAWS
