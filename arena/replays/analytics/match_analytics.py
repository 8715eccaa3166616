"""Analyzes the games of a match from the rows in the store."""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from arena.errors import StoreError
from arena.match.referee.ports import GameRow, MatchRow
from arena.match.referee.think_time import read_think_time
from arena.replays.analytics.counts import SeatAnalytics, add_counts
from arena.replays.analytics.game_analytics import GameAnalyzer

RecordedEvent: TypeAlias = tuple[int, str, Mapping[str, Any]]
"""An event: its instant in microseconds, its name, and its fields as plain values."""
AnalyzerFactory: TypeAlias = Callable[[Mapping[str, Any]], GameAnalyzer]
"""Returns a new analyzer for one game of a match. The argument is the terms in the match's row."""


def unpack_events(events: bytes) -> list[RecordedEvent]:
    """Return the events of a game's row. Raises StoreError if they cannot be read."""
    try:
        unpacked: list[RecordedEvent] = json.loads(b"[" + zlib.decompress(events).replace(b"\n", b",") + b"]")
    except (zlib.error, ValueError) as error:
        raise StoreError("the events of a game in the store cannot be read") from error
    return unpacked


def analyze_game(analyzer: GameAnalyzer, events: Iterable[RecordedEvent]) -> tuple[SeatAnalytics, ...]:
    """Return the analytics of each seat in a finished game."""
    for _, name, fields in events:
        analyzer.apply_event(name, fields)
    return analyzer.seat_analytics()


def analyze_match(
    row: MatchRow, games: Iterable[GameRow], build_analyzer: AnalyzerFactory
) -> list[tuple[SeatAnalytics, ...]]:
    """Return the analytics of each entrant in each game of a finished match, in the order of the row's entrants.

    The store has think times only for the whole match, so they are counted with the first game. Raises StoreError if
    the events of a game cannot be read.
    """
    analyzed = [_analyze_by_entrant(game, build_analyzer(row.terms)) for game in games]
    for entrant, statistics in zip(analyzed[0] if analyzed else (), row.statistics, strict=False):
        think_time = read_think_time(statistics)
        think_s = round(think_time.sum_s, 6)
        add_counts(entrant.counts, {"decisions": [int(think_time.answer_count)], "think_s": [think_s]})
    return analyzed


def _analyze_by_entrant(game: GameRow, analyzer: GameAnalyzer) -> tuple[SeatAnalytics, ...]:
    events = unpack_events(game.events)
    seats = analyze_game(analyzer, events)
    entrants = next((fields["entrants"] for _, name, fields in events if name == "GameStarted"), range(len(seats)))
    order = sorted(range(len(seats)), key=entrants.__getitem__)
    return tuple(
        SeatAnalytics(seats[seat].counts, tuple(seats[seat].dealings[other] for other in order if seats[seat].dealings))
        for seat in order
    )
