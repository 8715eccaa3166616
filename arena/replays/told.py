"""A match of a data folder, found and told: all of it, or as one seat knew it."""

from collections.abc import Iterable, Mapping

from arena.errors import RequestError
from arena.match.replay import Replay
from arena.replays.blame import blamed
from arena.replays.choosing import check_game, choice_of, why_not_played
from arena.replays.library import Entry, Library, plays
from arena.replays.lines import Line
from arena.replays.seat import seat_view
from arena.replays.stored import stored
from arena.replays.whole import whole
from arena.rules.game import Game


async def told(
    library: Library,
    prefix: str,
    games: Mapping[str, Game],
    game: int | None = None,
    seat: int | None = None,
    entrant: str | None = None,
) -> tuple[Entry, Iterable[Line], str]:
    """Find a match and begin to tell it; the remark says what is missing.

    `prefix`: of its id; `game`: one alone; `seat` or `entrant`: only what was known there. Raises UnknownNameError, or
    RequestError for what cannot be told.
    """
    entry = await library.find(prefix)
    check_game(entry, game)
    choice = choice_of(entry, seat, entrant)
    records, remark = library.records(entry) if plays(entry, games) else ([], "")
    if records:
        replay = Replay(records, games)
        lines = blamed(whole(replay) if choice is None else seat_view(replay, choice), entry.faults)
        return entry, _of_game(lines, game), remark if entry.state == "interrupted" else ""
    rows = await library.games(entry)
    if not rows or choice is not None:
        raise RequestError(why_not_played(entry, remark))
    return entry, _of_game(stored(rows, entry.entrants), game), remark


def _of_game(lines: Iterable[Line], game: int | None) -> Iterable[Line]:
    """Leave out the other games; what was said between the games belongs to no game."""
    return lines if game is None else (line for line in lines if line.game == game)
