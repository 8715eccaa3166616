"""The insight of a match's games, from its rows."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from arena.insight.cheat import CheatReader
from arena.insight.cheater import CheaterReader
from arena.insight.counts import Counts, SeatInsight, add
from arena.insight.reading import Reader, Told, told
from arena.match.ports import GameRow, MatchRow

READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Reader]]] = {"cheat": CheatReader, "cheater": CheaterReader}
"""By game. A further game adds an entry; until then only its number of games and its think time are known."""


def insight_of(game: str, terms: Mapping[str, Any], events: Iterable[Told]) -> tuple[SeatInsight, ...]:
    """Go through one finished game: what it says of each seat, by seat. `terms` as in the match's row."""
    make = READERS.get(game)
    if make is None:
        return tuple(SeatInsight({"games": [1]}) for _ in terms["entrants"])
    reader = make(terms)
    for _, name, fields in events:
        reader.take(name, fields)
    return reader.insights()


def insights(row: MatchRow, games: Iterable[GameRow]) -> list[tuple[SeatInsight, ...]]:
    """Read a finished match: for each of its games what it says of each entrant, in the order of the row's entrants.

    Think times are kept for a match as a whole; they are with the first game. Raises StoreError.
    """
    found = [_by_entrant(row, game) for game in games]
    for seat, thinking in zip(found[0] if found else (), thinking_of(row), strict=False):
        add(seat.counts, thinking)
    return found


def thinking_of(row: MatchRow) -> list[Counts]:
    """How many decisions each entrant took in a match, and how many seconds it thought about them, by entrant."""
    return [
        {"decisions": [each["decisions"]], "think_s": [round(each["think_s"] * each["decisions"], 6)]}
        for each in row.statistics
    ]


def _by_entrant(row: MatchRow, game: GameRow) -> tuple[SeatInsight, ...]:
    """Give each entrant's insight of a game, with other entrants in place of seats."""
    events = told(game.events)
    seats = insight_of(row.game, row.terms, events)
    entrants = next((fields["entrants"] for _, name, fields in events if name == "GameStarted"), range(len(seats)))
    order = sorted(range(len(seats)), key=entrants.__getitem__)
    return tuple(
        SeatInsight(seats[seat].counts, tuple(seats[seat].dealings[other] for other in order if seats[seat].dealings))
        for seat in order
    )
