"""Wins becoming final, places, and the end of the game (spec A10)."""

from arena.rules.cheat.events import Event, SeatPlaced
from arena.rules.cheat.state import State, Termination
from arena.rules.game import Seat


def confirm_win(draft: State, events: list[Event]) -> None:
    """Make a pending win final: its seat takes the best free place."""
    if draft.pending is not None:
        _place(draft, draft.pending, free_places(draft)[0], events)
        draft.pending = None


def finish_if_decided(draft: State, events: list[Event]) -> bool:
    """End the game once a single seat has no place yet: it takes the one left."""
    if draft.places.count(0) > 1:
        return False
    for seat in unplaced(draft):
        _place(draft, seat, free_places(draft)[0], events)
    draft.last = None
    draft.ended = Termination.FINISHED
    return True


def stop_at_guard(draft: State, events: list[Event]) -> None:
    """End an endless game: free places by fewest cards; ties share the best of their places."""
    free, seats = free_places(draft), unplaced(draft)
    for seat in seats:
        ahead = sum(draft.sizes[other] < draft.sizes[seat] for other in seats)
        _place(draft, seat, free[ahead], events)
    draft.ended = Termination.MAX_TURNS


def unplaced(state: State) -> list[Seat]:
    """Seats without a place, in seat order."""
    return [Seat(seat) for seat, place in enumerate(state.places) if not place]


def free_places(state: State) -> list[int]:
    """Places that nobody has, best first."""
    return [place for place in range(1, len(state.places) + 1) if place not in state.places]


def set_place(draft: State, seat: Seat, place: int) -> None:
    """Write a seat's place down."""
    places = list(draft.places)
    places[seat] = place
    draft.places = tuple(places)


def _place(draft: State, seat: Seat, place: int, events: list[Event]) -> None:
    set_place(draft, seat, place)
    events.append(SeatPlaced(seat, place))
