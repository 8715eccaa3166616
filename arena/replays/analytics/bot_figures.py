"""Computes the figures that exist in every kind of game. Each kind of game has a module for its own figures."""

from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields
from math import sqrt
from typing import Any, ClassVar, NamedTuple, Protocol

from arena.replays.analytics.counts import Counts


class Ratio(NamedTuple):
    """A share or a mean: an amount and its denominator."""

    amount: float
    of: float

    @property
    def value(self) -> float | None:
        """The amount divided by the denominator; None if the denominator is 0."""
        return self.amount / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class DealLuck:
    """Luck of the deal, in the game's unit (`above_mean`). A hand as good as the mean of its deal has luck 0."""

    mean: float
    error: float | None
    """Standard error of the mean; None if there are fewer than two games."""


@dataclass(frozen=True, slots=True)
class CommonFigures:
    """The figures that a bot has in every kind of game."""

    games: int
    luck: DealLuck
    think_s: Ratio
    """Think time per decision, in seconds."""


class BotFigures(Protocol):
    """The figures of a bot in one kind of game: a data class with `play`, ratios, and mappings of ratios."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def play(self) -> CommonFigures:
        """The figures that exist in every kind of game."""


def figure_rows(figures: BotFigures) -> Iterator[tuple[str, str, Ratio]]:
    """Yield every ratio as a table row: name, band (empty for a ratio without bands), ratio."""
    yield "think_s", "", figures.play.think_s
    for name in (field.name for field in fields(figures)):
        value = getattr(figures, name)
        if isinstance(value, Ratio):
            yield name, "", value
        elif isinstance(value, Mapping):
            yield from ((name, band, ratio) for band, ratio in value.items())


def common_figures(counts: Counts) -> CommonFigures:
    """Return the figures that exist in every kind of game, computed from a bot's summed counts."""
    games, luck = single_count(counts, "games"), single_count(counts, "luck")
    mean = luck / games if games else 0.0
    error = None
    if games > 1:
        error = sqrt(max(single_count(counts, "luck_squared") - games * mean * mean, 0.0) / (games - 1) / games)
    return CommonFigures(
        int(games), DealLuck(mean, error), Ratio(single_count(counts, "think_s"), single_count(counts, "decisions"))
    )


def single_count(counts: Counts, name: str) -> float:
    """Return the single number stored under this name, or 0 if the name is missing."""
    return counts[name][0] if name in counts else 0


def padded_counts(counts: Counts, name: str, length: int) -> list[float]:
    """Return the counts with this name, padded with zeros to their full length."""
    numbers = counts.get(name, [])
    return [*numbers, *[0] * (length - len(numbers))]
