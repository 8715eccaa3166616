"""Narrates stored games as plain facts, for games played under other versions of the rules."""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence

from arena.match.referee.ports import GameRow
from arena.plurals import format_count
from arena.replays.narration.narration_lines import NarrationLine
from arena.replays.narration.text_format import escape_unprintable, format_places


def narrate_stored_games(games: Iterable[GameRow], entrants: Sequence[str]) -> Iterator[NarrationLine]:
    """Yield the lines of finished games, made from their stored events."""
    names = [escape_unprintable(name) for name in entrants]
    for row in games:
        events = [json.loads(raw) for raw in zlib.decompress(row.events).split(b"\n")]
        start = next((at for at, name, _ in events if name == "GameStarted"), events[0][0])
        text = f"game {row.game} under rules {row.rules_version}: {', '.join(names)}"
        yield NarrationLine("game", text, row.game, 0)
        shown_at = start
        for at, name, values in events:
            shown_at = max(shown_at, at)  # an arrival stamp may precede inputs that were handled earlier
            fields = ", ".join(f"{field} {json.dumps(value, ensure_ascii=False)}" for field, value in values.items())
            text = f"{name}  {fields}" if fields else name
            yield NarrationLine("event", text, row.game, shown_at - start, facts={"event": name, "value": values})
        places = format_places(zip(names, row.places, strict=True))
        facts = {"places": list(row.places), "termination": row.termination, "digest": row.digest}
        text = f"game {row.game} is over, {row.termination}, after {format_count(row.turn_count, 'turn')}: {places}"
        yield NarrationLine("end", text, row.game, shown_at - start, facts=facts)
