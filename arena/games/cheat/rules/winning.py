"""Final wins, places, and the end of the game (spec A10)."""

from arena.games.cheat.rules.events import Event, SeatPlaced
from arena.games.cheat.rules.ruleset import Objective
from arena.games.cheat.rules.state import State, Termination
from arena.games.cheat.rules.tricks import start_trick
from arena.match.game import Seat


def confirm_win(draft: State, events: list[Event]) -> bool:
    """Make a pending win final, if there is one. Return whether this win started a new trick."""
    winner = draft.pending
    if winner is None:
        return False
    draft.pending = None
    rules = draft.compiled_rules.rules
    _place_seat(draft, winner, free_places(draft)[0] if rules.objective is Objective.PLACES else 1, events)
    if rules.objective is Objective.FIRST_OUT_WINS:
        for seat in unplaced_seats(draft):
            _place_seat(draft, seat, 2, events)
    resets = rules.win_resets_trick and draft.places.count(0) > 1
    if resets:
        draft.last = None
        start_trick(draft, draft.next_active_seat(winner), events)
    return resets


def finish_if_decided(draft: State, events: list[Event]) -> bool:
    """End the game if at most one seat has no place yet. Return whether the game ended.

    The objective decides which place the last seat gets.
    """
    if draft.places.count(0) > 1:
        return False
    if draft.pending is not None:
        confirm_win(draft, events)
    for seat in unplaced_seats(draft):
        loses = draft.compiled_rules.rules.objective is Objective.LAST_IN_LOSES
        _place_seat(draft, seat, free_places(draft)[-1 if loses else 0], events)
    draft.last = None
    draft.ended = Termination.FINISHED
    return True


def stop_at_max_turns(draft: State, events: list[Event]) -> None:
    """End a game at `max_turns`: confirm a pending win, then place seats by card count (spec A10)."""
    confirm_win(draft, events)
    if finish_if_decided(draft, events):
        return
    seats, free = unplaced_seats(draft), free_places(draft)
    for seat in seats:
        _place_seat(draft, seat, _place_by_card_count(draft, seat, seats, free), events)
    draft.last = None
    draft.ended = Termination.MAX_TURNS


def unplaced_seats(state: State) -> list[Seat]:
    """Return the seats without a place, in seat order."""
    return [Seat(seat) for seat, place in enumerate(state.places) if not place]


def free_places(state: State) -> list[int]:
    """Return the places not taken yet, best first."""
    return [place for place in range(1, len(state.places) + 1) if place not in state.places]


def set_place(draft: State, seat: Seat, place: int) -> None:
    places = list(draft.places)
    places[seat] = place
    draft.places = tuple(places)


def _place_by_card_count(draft: State, seat: Seat, seats: list[Seat], free: list[int]) -> int:
    """Return the place that `seat` gets for its card count. `seats` are all seats that have no place yet.

    * PLACES: the seats with fewer cards get the better `free` places. Tied seats share the best of their places.
    * FIRST_OUT_WINS: the seats with the fewest cards get place 1, the others place 2.
    * LAST_IN_LOSES: the seats with the most cards share the worst `free` place, the others get place 1.
    """
    sizes = [draft.sizes[other] for other in seats]
    size = draft.sizes[seat]
    match draft.compiled_rules.rules.objective:
        case Objective.PLACES:
            return free[sum(other < size for other in sizes)]
        case Objective.FIRST_OUT_WINS:
            return 1 if size == min(sizes) else 2
        case Objective.LAST_IN_LOSES:
            return free[-1] if size == max(sizes) else 1


def _place_seat(draft: State, seat: Seat, place: int, events: list[Event]) -> None:
    set_place(draft, seat, place)
    events.append(SeatPlaced(seat, place))
