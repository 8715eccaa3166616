"""Finds the recorded games of an entrant in which to look for lessons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.errors import RequestError
from arena.match.game import Game
from arena.match.referee.scalars import EntrantIndex
from arena.match.referee.terms import terms_from_plain
from arena.replays.library.library import Library, can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.library.match_filter import MatchFilter
from arena.replays.narration.seat_selection import check_game, select_seat, why_not_replayable

_MAX_SEARCHED_MATCHES = 1000
"""Number of the newest matches in which lost games are searched for."""


@dataclass(frozen=True, slots=True)
class LessonCase:
    """One game of a recorded match, and the entrant whose decisions are looked at."""

    entry: LibraryEntry
    entrant: EntrantIndex
    number: int
    """The number of the game in the match, from 0."""
    records: Sequence[bytes]

    @property
    def name(self) -> str:
        return self.entry.entrants[self.entrant]


async def find_game(
    library: Library,
    games: Mapping[str, Game],
    prefix: str,
    entrant: str | None,
    seat: int | None,
    number: int | None,
) -> LessonCase:
    """Find a game by a prefix of its match's id, and one of its entrants by name or by seat.

    By default it is the first game that the entrant lost, or game 0; for a seat, it is game 0. Raises RequestError or
    UnknownNameError if there is no such game or it cannot be replayed.
    """
    entry = await library.find(prefix)
    if entry.state == "running":
        raise RequestError(f"match {entry.match_id} is still running")
    check_game(entry, number)
    if seat is None:
        index = _find_entrant(entry, entrant)
    else:
        number = number or 0
        index = _find_entrant_in_seat(entry, games, seat, number)
    records, remark = library.records(entry) if can_replay(entry, games) else ([], "")
    if not records:
        raise RequestError(why_not_replayable(entry, remark))
    if number is None:
        number = next(iter(entry.lost_games[index] if entry.lost_games else ()), 0)
    return LessonCase(entry, index, number, records)


async def find_lost_games(
    library: Library, games: Mapping[str, Game], entrant: str, limit: int
) -> tuple[list[LessonCase], int]:
    """Find the newest games that an entrant lost, newest first. Return up to `limit` of them, and how many there are.

    A game is lost if the entrant came last. Raises RequestError if there is no such game in the newest matches.
    """
    found: list[LessonCase] = []
    count = 0
    for entry in await library.newest(_MAX_SEARCHED_MATCHES, MatchFilter(entrant=entrant, is_lost=True)):
        is_readable = entry.state != "running" and not entry.is_hidden and can_replay(entry, games)
        if not is_readable or entrant not in entry.entrants:  # the filter also accepts copies of the entrant
            continue
        index = _find_entrant(entry, entrant)
        count += len(entry.lost_games[index])
        records = library.records(entry)[0] if len(found) < limit else []
        if records:
            found += [LessonCase(entry, index, number, records) for number in reversed(entry.lost_games[index])]
    if not found:
        raise RequestError(
            f"no match of this data folder has a game that {entrant!r} lost, among the newest"
            f" {_MAX_SEARCHED_MATCHES} of its matches"
        )
    return found[:limit], count


def _find_entrant_in_seat(entry: LibraryEntry, games: Mapping[str, Game], seat: int, number: int) -> EntrantIndex:
    select_seat(entry, seat, None)  # refuses a seat that the match lacks
    terms = terms_from_plain(entry.terms, games)
    return next(index for index in terms.entrant_indices if terms.seat_of(index, number) == seat)


def _find_entrant(entry: LibraryEntry, name: str | None) -> EntrantIndex:
    choose = select_seat(entry, None, name)
    assert choose is not None, "a name was given"
    return EntrantIndex(choose(range(len(entry.entrants))))
