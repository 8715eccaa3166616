"""Defines a column of the standings that shows figures of one game."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """Describes one column: a single figure, or several separated by slashes or added up."""

    heading: str
    meaning: str
    """The explanation below the table; empty if the heading is sufficient."""
    counts: tuple[str, ...]
    """The names of the figures in the game's tally."""
    is_sum: bool = False
    """Whether the figures are added up."""

    def format_cell(self, counts: Mapping[str, int]) -> str:
        """Return the text of a cell."""
        figures = [counts.get(name, 0) for name in self.counts]
        return str(sum(figures)) if self.is_sum else "/".join(map(str, figures))
