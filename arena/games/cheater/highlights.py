"""Finds what stands out in a game of CHEATER: how often it came to an attack."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.plurals import format_count
from arena.replays.watch.highlight import Highlight


def find_cheater_highlights(events: Iterable[tuple[int, str, Mapping[str, Any]]]) -> Sequence[Highlight]:
    names = [name for _, name, _ in events]
    attacks, turns = names.count("Attacked"), names.count("Rolled")
    text = f"{format_count(attacks, 'attack')} in {format_count(turns, 'turn')}"
    return [Highlight("most attacks", attacks, text)] if attacks else []
