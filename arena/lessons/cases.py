"""Finds the recorded games of an entrant in which to look for lessons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from arena.errors import RequestError
from arena.match.replay import Replay
from arena.match.scalars import EntrantIndex
from arena.replays.library import Library, LibraryEntry, can_replay
from arena.replays.seat_selection import check_game, select_seat, why_not_replayable
from arena.rules.game import Game

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
        """The entrant's name."""
        return self.entry.entrants[self.entrant]


async def find_game(
    library: Library, games: Mapping[str, Game], prefix: str, entrant: str, number: int | None
) -> LessonCase:
    """Find a game by a prefix of its match's id. By default it is the first game that the entrant lost, or game 0.

    Raises RequestError or UnknownNameError if there is no such game or it cannot be replayed.
    """
    entry = await library.find(prefix)
    if entry.state == "running":
        raise RequestError(f"match {entry.match_id} is still running")
    check_game(entry, number)
    index = _find_entrant(entry, entrant)
    records, remark = library.records(entry) if can_replay(entry, games) else ([], "")
    if not records:
        raise RequestError(why_not_replayable(entry, remark))
    if number is None:
        lost = _lost_games(await _places(library, entry, records, games), index)
        number = lost[0] if lost else 0
    return LessonCase(entry, index, number, records)


async def find_lost_games(
    library: Library, games: Mapping[str, Game], entrant: str, limit: int
) -> tuple[list[LessonCase], int]:
    """Find the newest games that an entrant lost, newest first. Return up to `limit` of them, and how many there are.

    A game is lost if the entrant's place is worse than the mean place of the game. Raises RequestError if there is no
    such game in the newest matches.
    """
    found: list[LessonCase] = []
    count, is_known = 0, False
    for entry in await library.newest(_MAX_SEARCHED_MATCHES):
        if entrant not in entry.entrants or entry.state == "running" or entry.is_hidden:
            continue
        is_known = True
        index = _find_entrant(entry, entrant)
        records = library.records(entry)[0] if can_replay(entry, games) and len(found) < limit else []
        lost = _lost_games(await _places(library, entry, records, games), index)
        count += len(lost)
        if records:
            found += [LessonCase(entry, index, number, records) for number in reversed(lost)]
    if not found:
        why = f"{entrant!r} has lost no game" if is_known else f"no match has an entrant {entrant!r}"
        raise RequestError(f"{why} among the newest {_MAX_SEARCHED_MATCHES} matches of this data folder")
    return found[:limit], count


def _find_entrant(entry: LibraryEntry, name: str) -> EntrantIndex:
    choose = select_seat(entry, None, name)
    assert choose is not None, "a name was given"
    return EntrantIndex(choose(range(len(entry.entrants))))


async def _places(
    library: Library, entry: LibraryEntry, records: Sequence[bytes], games: Mapping[str, Game]
) -> list[tuple[int, Sequence[int]]]:
    """Return number and places by entrant of each finished game, from the store or else from the records."""
    rows = await library.games(entry)
    if rows or not records:
        return [(row.game, row.places) for row in rows]
    replay = Replay(records, games)
    for _ in replay.moments():
        pass
    return [(ended.game, ended.places_by_entrant) for ended in replay.referee.results]


def _lost_games(played: Sequence[tuple[int, Sequence[int]]], entrant: EntrantIndex) -> list[int]:
    return [number for number, places in played if places[entrant] > fmean(places)]
