"""A column of the standings that shows figures of one game."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """One column: a figure, or several, parted by slashes or added up."""

    heading: str
    meaning: str
    """For the line below the table; empty where the heading says it all."""
    counts: tuple[str, ...]
    """Names of figures that the game's tally counts."""
    is_sum: bool = False
    """Whether they are added up instead."""

    def format_cell(self, counts: Mapping[str, int]) -> str:
        """Write the figures."""
        figures = [counts.get(name, 0) for name in self.counts]
        return str(sum(figures)) if self.is_sum else "/".join(map(str, figures))
