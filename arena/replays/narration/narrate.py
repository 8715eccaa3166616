"""Narrates a match of a data folder: all of it, or as one seat knew it."""

from collections.abc import Callable, Iterable, Mapping

from arena.errors import RequestError
from arena.match.game import Game
from arena.match.referee.replay import Replay
from arena.replays.library.library import Library, can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.blame import annotate_blame
from arena.replays.narration.match_narration import narrate_match
from arena.replays.narration.narration_lines import NarrationLine
from arena.replays.narration.phrasing import Phrasing
from arena.replays.narration.seat_narration import narrate_seat
from arena.replays.narration.seat_selection import check_game, select_seat, why_not_replayable
from arena.replays.narration.stored_narration import narrate_stored_games


async def narrate(
    library: Library,
    prefix: str,
    games: Mapping[str, Game],
    phrasing_of: Callable[[Game], Phrasing],
    game: int | None = None,
    seat: int | None = None,
    entrant: str | None = None,
) -> tuple[LibraryEntry, Iterable[NarrationLine], str]:
    """Find a match and return it with its narration and a remark about missing records.

    `prefix` is the start of the match id, and `phrasing_of` returns the phrasing of a game. `game` limits the narration
    to one game; `seat` or `entrant` limits it to what that seat or entrant knew. Raises UnknownNameError, or
    RequestError if the match cannot be narrated.
    """
    entry = await library.find(prefix)
    check_game(entry, game)
    choice = select_seat(entry, seat, entrant)
    records, remark = library.records(entry) if can_replay(entry, games) else ([], "")
    if records:
        replay = Replay(records, games)
        phrasing = phrasing_of(replay.terms.game)
        narration = narrate_match(replay, phrasing) if choice is None else narrate_seat(replay, choice, phrasing)
        lines = annotate_blame(narration, entry.faults)
        return entry, _lines_of_game(lines, game), remark if entry.state == "interrupted" else ""
    rows = await library.games(entry)
    if not rows or choice is not None:
        raise RequestError(why_not_replayable(entry, remark))
    return entry, _lines_of_game(narrate_stored_games(rows, entry.entrants), game), remark


def visible_names(entry: LibraryEntry, *, is_one_seat: bool) -> list[str]:
    """Return the names of a match's entrants as a reader may see them. One seat of an anonymous match sees none."""
    is_hidden = is_one_seat and entry.terms.get("anonymous", False)
    return [f"entrant {number}" if is_hidden else name for number, name in enumerate(entry.entrants)]


def _lines_of_game(lines: Iterable[NarrationLine], game: int | None) -> Iterable[NarrationLine]:
    """Return the lines of one game, or all lines if `game` is None. Lines between games belong to no game."""
    return lines if game is None else (line for line in lines if line.game == game)
