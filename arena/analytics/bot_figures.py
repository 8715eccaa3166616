"""Figures for people, computed from the counts: those that all games share. Each game has a module for its own."""

from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields
from math import sqrt
from typing import Any, ClassVar, NamedTuple, Protocol

from arena.analytics.counts import Counts


class Ratio(NamedTuple):
    """A share or a mean: an amount and its denominator."""

    amount: float
    of: float

    @property
    def value(self) -> float | None:
        """The ratio; None if the denominator is 0."""
        return self.amount / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class DealLuck:
    """Luck of the deal, in the unit of the game's measure (`deal_luck`); 0 is the mean of each deal."""

    mean: float
    error: float | None
    """Standard error of the mean; None for a single game."""


@dataclass(frozen=True, slots=True)
class CommonFigures:
    """Figures of a bot that exist in every game."""

    games: int
    luck: DealLuck
    think_s: Ratio
    """Think time per decision, in seconds."""


class BotFigures(Protocol):
    """Figures of one bot in one game: a data class whose other fields are ratios, or ratios by band."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def play(self) -> CommonFigures:
        """What is known in any game."""


def figure_rows(figures: BotFigures) -> Iterator[tuple[str, str, Ratio]]:
    """Yield every ratio as a table row: name, band (empty if none), ratio."""
    yield "think_s", "", figures.play.think_s
    for name in (field.name for field in fields(figures)):
        value = getattr(figures, name)
        if isinstance(value, Ratio):
            yield name, "", value
        elif isinstance(value, Mapping):
            yield from ((name, band, ratio) for band, ratio in value.items())


def common_figures(counts: Counts) -> CommonFigures:
    """Work out what is known of a bot in any game, from its sums."""
    games, luck = single_count(counts, "games"), single_count(counts, "luck")
    mean = luck / games if games else 0.0
    error = None
    if games > 1:
        error = sqrt(max(single_count(counts, "luck_squared") - games * mean * mean, 0.0) / (games - 1) / games)
    return CommonFigures(
        int(games), DealLuck(mean, error), Ratio(single_count(counts, "think_s"), single_count(counts, "decisions"))
    )


def single_count(counts: Counts, name: str) -> float:
    """Return a number that was counted alone; 0 where it never was."""
    return counts[name][0] if name in counts else 0


def padded_counts(counts: Counts, name: str, length: int) -> list[float]:
    """Return a list of numbers in its full length; 0 for what was never counted."""
    found = counts.get(name, [])
    return [*found, *[0] * (length - len(found))]
