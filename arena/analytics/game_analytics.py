"""What analytics need of a game: who goes through its events, and what the sums say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.analytics.bot_figures import BotFigures
from arena.analytics.counts import Counts
from arena.analytics.recorded_events import GameAnalyzer

LUCK_NOTE: Final = (
    "Luck is a measure of the dealt hand, fixed before any result, less the mean of the hands of its deal:"
)
"""Begins the note in which a game says what its measure is."""


@dataclass(frozen=True, slots=True)
class GameAnalytics:
    """One game."""

    build_analyzer: Callable[[Mapping[str, Any]], GameAnalyzer]
    """Takes the terms as in a match's row; a new one for each game."""
    build_figures: Callable[[Counts], BotFigures]
    """Takes the sums of one bot, as its analyzers have counted."""
    notes: Sequence[str]
    """How the figures are defined, for the report."""
