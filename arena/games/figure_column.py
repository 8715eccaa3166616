"""A column of a match's standings that shows figures of one game."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """A column with one figure in each cell, or with several: their sum, or all of them separated by slashes."""

    heading: str
    meaning: str
    """The explanation below the table; empty if the heading is sufficient."""
    counts: tuple[str, ...]
    """The figures, by the counter names of `Game.event_statistics`."""
    is_sum: bool = False
    """Whether a cell shows the sum of the figures."""

    def format_cell(self, counts: Mapping[str, int]) -> str:
        """Return the text of a cell. A missing counter counts as 0."""
        figures = [counts.get(name, 0) for name in self.counts]
        return str(sum(figures)) if self.is_sum else "/".join(map(str, figures))
