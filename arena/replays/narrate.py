"""Narrating a match of a data folder: all of it, or as one seat knew it."""

from collections.abc import Callable, Iterable, Mapping

from arena.errors import RequestError
from arena.match.replay import Replay
from arena.replays.blame import annotate_blame
from arena.replays.library import Library, LibraryEntry, can_replay
from arena.replays.match_narration import narrate_match
from arena.replays.narration_lines import NarrationLine
from arena.replays.phrasing import Phrasing
from arena.replays.seat_narration import narrate_seat
from arena.replays.seat_selection import check_game, select_seat, why_not_replayable
from arena.replays.stored_narration import narrate_stored_games
from arena.rules.game import Game


async def narrate(
    library: Library,
    prefix: str,
    games: Mapping[str, Game],
    phrasing_of: Callable[[Game], Phrasing],
    game: int | None = None,
    seat: int | None = None,
    entrant: str | None = None,
) -> tuple[LibraryEntry, Iterable[NarrationLine], str]:
    """Find a match and return its narration, and a remark about missing records.

    `prefix`: of its id; `phrasing_of` gives the words of a game; `game`: one alone; `seat` or `entrant`: only what was
    known there. Raises UnknownNameError, or RequestError for what cannot be told.
    """
    entry = await library.find(prefix)
    check_game(entry, game)
    choice = select_seat(entry, seat, entrant)
    records, remark = library.records(entry) if can_replay(entry, games) else ([], "")
    if records:
        replay = Replay(records, games)
        words = phrasing_of(replay.terms.game)
        told = narrate_match(replay, words) if choice is None else narrate_seat(replay, choice, words)
        lines = annotate_blame(told, entry.faults)
        return entry, _lines_of_game(lines, game), remark if entry.state == "interrupted" else ""
    rows = await library.games(entry)
    if not rows or choice is not None:
        raise RequestError(why_not_replayable(entry, remark))
    return entry, _lines_of_game(narrate_stored_games(rows, entry.entrants), game), remark


def _lines_of_game(lines: Iterable[NarrationLine], game: int | None) -> Iterable[NarrationLine]:
    """Yield only the lines of one game; lines between games belong to none."""
    return lines if game is None else (line for line in lines if line.game == game)
