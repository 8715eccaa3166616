"""Finds the game and the seat that a user names, or raises an error that says why there is none."""

from arena.errors import RequestError, UnknownNameError
from arena.match.game import Seat
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.seat_narration import SeatSelector


def why_not_replayable(entry: LibraryEntry, remark: str) -> str:
    """Return the error text for a match that cannot be replayed. `remark` says which records are missing, if any."""
    if remark:
        return f"match {entry.match_id} cannot be replayed: {remark}"
    name, version = entry.terms["game"], entry.terms["rules_version"]
    return (
        f"match {entry.match_id} was played under version {version} of {name}, which this version of the arena does"
        " not play; the arena can only show the plain facts of the match's finished games"
    )


def check_game(entry: LibraryEntry, game: int | None) -> None:
    """Raise RequestError for a game number that the match does not have."""
    count = entry.terms["game_count"]
    if game is not None and game >= count:
        raise RequestError(f"match {entry.match_id} has no game {game}: its games are 0 to {count - 1}")


def select_seat(entry: LibraryEntry, seat: int | None, entrant: str | None) -> SeatSelector | None:
    """Return a selector of the seat to show, or None to show everything.

    Raises UnknownNameError for an unknown entrant, and RequestError for a seat that the match lacks or an ambiguous
    choice.
    """
    if seat is not None and entrant is not None:
        raise RequestError("--seat and --entrant both select a seat: give one of them")
    if seat is not None:
        if seat >= len(entry.entrants):
            raise RequestError(
                f"match {entry.match_id} has no seat {seat}: its seats are 0 to {len(entry.entrants) - 1}"
            )
        return lambda _: Seat(seat)
    if entrant is None:
        return None
    indexes = [index for index, name in enumerate(entry.entrants) if name == entrant]
    if not indexes:
        raise UnknownNameError("entrant", entrant, sorted(set(entry.entrants)))
    if len(indexes) > 1:
        raise RequestError(f"several entrants are called {entrant!r}: name one with --seat")
    return lambda seats: Seat(seats.index(indexes[0]))
