"""Narrates stored games as plain facts, for games played under other versions of the rules."""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.match.ports import GameRow
from arena.replays.narration_lines import NarrationLine
from arena.replays.text_format import escape_unprintable, format_places


def narrate_stored_games(games: Iterable[GameRow], entrants: Sequence[str]) -> Iterator[NarrationLine]:
    """Yield the lines of finished games from their stored events."""
    for row in games:
        yield from _narrate_game(row, [escape_unprintable(name) for name in entrants])


def _narrate_game(row: GameRow, entrants: Sequence[str]) -> Iterator[NarrationLine]:
    events = [json.loads(raw) for raw in zlib.decompress(row.events).split(b"\n")]
    start = next((at for at, name, _ in events if name == "GameStarted"), events[0][0])
    names = ", ".join(entrants)
    yield NarrationLine("game", f"game {row.game} under rules {row.rules_version}: {names}", row.game, 0)
    shown_at = start
    for at, name, values in events:
        shown_at = max(shown_at, at)  # an arrival stamp may precede inputs that were handled earlier
        text = f"{name}  {_fields(values)}" if values else name
        yield NarrationLine("event", text, row.game, shown_at - start, facts={"event": name, "value": values})
    places = format_places(zip(entrants, row.places, strict=True))
    facts = {"places": list(row.places), "termination": row.termination, "digest": row.digest}
    text = f"game {row.game} is over, {row.termination}, after {row.turn_count} turns: {places}"
    yield NarrationLine("end", text, row.game, shown_at - start, facts=facts)


def _fields(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())
