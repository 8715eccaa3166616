"""The parts of the analytics that depend on the game: an analyzer of events, and figures that follow from the sums."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from arena.replays.analytics.bot_figures import BotFigures
from arena.replays.analytics.counts import Counts, SeatAnalytics

LUCK_NOTE: Final = (
    "Luck is a measure of the dealt hand, fixed before any result, less the mean of the hands of its deal:"
)
"""The beginning of a game's note on its measure of luck."""


class GameAnalyzer(Protocol):
    """Analyzes one game, event by event."""

    def apply_event(self, name: str, fields: Mapping[str, Any]) -> None: ...

    def seat_analytics(self) -> tuple[SeatAnalytics, ...]:
        """Return the analytics of each seat. The game must be over."""


@dataclass(frozen=True, slots=True)
class GameAnalytics:
    build_analyzer: Callable[[Mapping[str, Any]], GameAnalyzer]
    """Returns a new analyzer, which serves for one game. The argument is the terms in a match's row."""
    build_figures: Callable[[Counts], BotFigures]
    """Returns the figures of one bot. The argument is the sums of the bot's counts."""
    notes: Sequence[str]
    """Definitions of the figures, for the report."""


def above_mean(values: Sequence[float]) -> list[float]:
    """Return how much each value exceeds the mean of all: the luck of each hand of a deal, from a measure of each.

    Each game has its own measure of a hand. It was fixed before anybody looked at results, so that nobody could choose
    measures that fit the results, and may only change for reasons that have nothing to do with who won.
    """
    mean = sum(values) / len(values)
    return [value - mean for value in values]
