"""Narrates a match of a data folder: all of it, or as one seat knew it."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from arena.errors import RequestError
from arena.match.game import Game
from arena.match.referee.ports import GameRow
from arena.match.referee.replay import Replay
from arena.plurals import format_count
from arena.replays.analytics.match_analytics import unpack_events
from arena.replays.library.library import Library, can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.blame import annotate_blame
from arena.replays.narration.match_narration import narrate_match
from arena.replays.narration.phrasing import Phrasing
from arena.replays.narration.seat_narration import narrate_seat
from arena.replays.narration.seat_selection import check_game, select_seat, why_not_replayable
from arena.replays.narration.text_format import escape_unprintable, format_places
from arena.server.wire.narration_line import NarrationLine


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


def narrate_stored_games(games: Iterable[GameRow], entrants: Sequence[str]) -> Iterator[NarrationLine]:
    """Yield the lines of finished games as plain facts from their stored events, whatever rules they followed.

    Raises StoreError if the events of a game cannot be read.
    """
    names = [escape_unprintable(name) for name in entrants]
    for row in games:
        events = unpack_events(row.events)
        start = next((at for at, name, _ in events if name == "GameStarted"), events[0][0])
        text = f"game {row.game} under rules {row.rules_version}: {', '.join(names)}"
        yield NarrationLine("game", text, row.game, 0)
        shown_at = start
        for at, name, values in events:
            shown_at = max(shown_at, at)  # an arrival stamp may precede inputs that were handled earlier
            fields = ", ".join(f"{field} {json.dumps(value, ensure_ascii=False)}" for field, value in values.items())
            text = f"{name}  {fields}" if fields else name
            yield NarrationLine("event", text, row.game, shown_at - start, data={"event": name, "value": values})
        places = format_places(zip(names, row.places, strict=True))
        data = {"places": list(row.places), "termination": row.termination, "digest": row.digest}
        text = f"game {row.game} is over, {row.termination}, after {format_count(row.turn_count, 'turn')}: {places}"
        yield NarrationLine("end", text, row.game, shown_at - start, data=data)


def visible_names(entry: LibraryEntry, *, is_one_seat: bool) -> list[str]:
    """Return the names of a match's entrants as a reader may see them. One seat of an anonymous match sees none."""
    is_hidden = is_one_seat and entry.terms.get("anonymous", False)
    return [f"entrant {number}" if is_hidden else name for number, name in enumerate(entry.entrants)]


def _lines_of_game(lines: Iterable[NarrationLine], game: int | None) -> Iterable[NarrationLine]:
    """Return the lines of one game, or all lines if `game` is None. Lines between games belong to no game."""
    return lines if game is None else (line for line in lines if line.game == game)
