"""Hands that spell CHEATER, titles, places, and the end of the game (spec B5, B7)."""

from collections.abc import Iterable

from arena.games.cheater.rules.cards import spelled_color
from arena.games.cheater.rules.events import Event, Stopped, Won
from arena.games.cheater.rules.state import EarlierWin, State, Termination, Title, Win
from arena.match.game import Outcome, Seat


def win_if_spelled(draft: State, seats: Iterable[Seat], events: list[Event]) -> bool:
    """End the game if one of these seats' hands spells CHEATER; the first such seat wins.

    Return whether the game ended.
    """
    for seat in seats:
        color = spelled_color(draft.hands[seat])
        if color is not None:
            _win(draft, seat, color, events)
            return True
    return False


def win_as_last(draft: State, seat: Seat, events: list[Event]) -> None:
    """Let the last seat win because all others have left. Such a win has no colour and earns no title."""
    _win(draft, seat, None, events)


def stop_at_max_turns(draft: State, events: list[Event]) -> None:
    """End a game at `max_turns`. The seats that have not left share the first place."""
    draft.places = tuple(place or 1 for place in draft.places)
    draft.ended = Termination.MAX_TURNS
    events.append(Stopped())


def worst_free_place(state: State) -> int:
    """Return the place that a leaving seat takes."""
    return max(set(range(1, len(state.places) + 1)) - set(state.places))


def outcome(state: State) -> Outcome | None:
    if state.ended is None:
        return None
    detail = None if state.color is None else Win(state.color, state.titles)
    return Outcome(state.places, state.ended.value, detail)


def earlier_win(before: Outcome) -> EarlierWin | None:
    """Return who won an earlier game by spelling CHEATER, and in which colour; None if nobody did.

    The places of `before` are in the order of this game's seats.
    """
    if isinstance(before.detail, Win):
        return EarlierWin(Seat(before.places.index(1)), before.detail.color)
    return None


def _win(draft: State, seat: Seat, color: int | None, events: list[Event]) -> None:
    places = [place or 2 for place in draft.places]
    places[seat] = 1
    draft.places = tuple(places)
    draft.winner, draft.color = seat, color
    draft.titles = () if color is None else _titles(draft, EarlierWin(seat, color))
    draft.ended = Termination.LAST_SEAT if color is None else Termination.SPELLED
    events.append(Won(seat, color, draft.titles))


def _titles(state: State, won: EarlierWin) -> tuple[Title, ...]:
    """Return the titles that this win earns (spec B5).

    They depend only on this game and the two games before, so a longer streak earns the same titles again.
    """
    before = state.earlier[-1] if state.earlier else None
    if not state.rules.titles or before is None or before.seat != won.seat:
        return ()
    if before != won:
        return (Title.EXCELLENT,)
    if state.earlier[:-1] != (won,):
        return (Title.EXCELLENT, Title.ULTIMATE)
    return (Title.EXCELLENT, Title.ULTIMATE, Title.INFINITE)
