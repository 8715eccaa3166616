"""A column in the table of a match's results. It shows figures that only one game has."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """A column of figures. A cell shows one figure, the sum of several, or several separated by slashes."""

    heading: str
    meaning: str
    """The explanation below the table; empty if the heading is sufficient."""
    counts: tuple[str, ...]
    """The names of the counters that the cells show. `Game.event_statistics` returns these names."""
    is_sum: bool = False
    """Whether a cell shows the sum of the figures."""

    def format_cell(self, counts: Mapping[str, int]) -> str:
        """Return the text of a cell. A missing counter counts as 0."""
        figures = [counts.get(name, 0) for name in self.counts]
        return str(sum(figures)) if self.is_sum else "/".join(map(str, figures))
