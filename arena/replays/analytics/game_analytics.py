"""The parts of the analytics that depend on the game: an analyzer of events, and figures that follow from the sums."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.replays.analytics.bot_figures import BotFigures
from arena.replays.analytics.counts import Counts
from arena.replays.analytics.recorded_events import GameAnalyzer

LUCK_NOTE: Final = (
    "Luck is a measure of the dealt hand, fixed before any result, less the mean of the hands of its deal:"
)
"""The beginning of a game's note on its measure of luck."""


@dataclass(frozen=True, slots=True)
class GameAnalytics:
    """The analytics of one kind of game."""

    build_analyzer: Callable[[Mapping[str, Any]], GameAnalyzer]
    """Returns a new analyzer, which serves for one game. The argument is the terms in a match's row."""
    build_figures: Callable[[Counts], BotFigures]
    """Returns the figures of one bot. The argument is the sums of the bot's counts."""
    notes: Sequence[str]
    """Definitions of the figures, for the report."""
