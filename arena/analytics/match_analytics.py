"""The insight of a match's games, from its rows."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from arena.analytics.counts import Counts, SeatAnalytics, add_counts
from arena.analytics.recorded_events import GameAnalyzer, RecordedEvent, unpack_events
from arena.match.ports import GameRow, MatchRow

AnalyzerFactory: TypeAlias = Callable[[Mapping[str, Any]], GameAnalyzer]
"""Makes the analyzer for one game of a match; takes the terms as in the match's row."""


def analyze_game(analyzer: GameAnalyzer, events: Iterable[RecordedEvent]) -> tuple[SeatAnalytics, ...]:
    """Go through one finished game: what it says of each seat, by seat."""
    for _, name, fields in events:
        analyzer.apply_event(name, fields)
    return analyzer.seat_analytics()


def analyze_match(
    row: MatchRow, games: Iterable[GameRow], build_analyzer: AnalyzerFactory
) -> list[tuple[SeatAnalytics, ...]]:
    """Read a finished match: for each of its games what it says of each entrant, in the order of the row's entrants.

    Think times are kept for a match as a whole; they are with the first game. Raises StoreError.
    """
    found = [_analyze_by_entrant(game, build_analyzer(row.terms)) for game in games]
    for seat, thinking in zip(found[0] if found else (), think_counts(row), strict=False):
        add_counts(seat.counts, thinking)
    return found


def think_counts(row: MatchRow) -> list[Counts]:
    """How many decisions each entrant took in a match, and how many seconds it thought about them, by entrant."""
    return [
        {"decisions": [each["decisions"]], "think_s": [round(each["think_s"] * each["decisions"], 6)]}
        for each in row.statistics
    ]


def _analyze_by_entrant(game: GameRow, analyzer: GameAnalyzer) -> tuple[SeatAnalytics, ...]:
    """Give each entrant's insight of a game, with other entrants in place of seats."""
    events = unpack_events(game.events)
    seats = analyze_game(analyzer, events)
    entrants = next((fields["entrants"] for _, name, fields in events if name == "GameStarted"), range(len(seats)))
    order = sorted(range(len(seats)), key=entrants.__getitem__)
    return tuple(
        SeatAnalytics(seats[seat].counts, tuple(seats[seat].dealings[other] for other in order if seats[seat].dealings))
        for seat in order
    )
