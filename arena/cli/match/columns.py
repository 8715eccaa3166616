"""What the table of standings shows of a game besides places: which figures, and in what columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


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


_COLUMNS: Final[Mapping[str, tuple[FigureColumn, ...]]] = {
    "cheat": (
        FigureColumn("lies", "told/caught", ("lies", "lies_caught")),
        FigureColumn("calls", "right/wrong", ("calls_right", "calls_wrong")),
    ),
    "cheater": (
        FigureColumn("attacks", "", ("attacks",)),
        FigureColumn("hides", "", ("hides",)),
        FigureColumn("cards", "taken/busted", ("cards_taken", "cards_busted")),
        FigureColumn("titles", "", ("titles_excellent", "titles_ultimate", "titles_infinite"), is_sum=True),
    ),
}
"""By game."""
_DEFAULT_COLUMNS: Final = (FigureColumn("turns", "", ("turns",)),)
"""Of a game that nobody has thought of here: every game counts turns."""


def columns_of(game: str) -> Sequence[FigureColumn]:
    """Give the columns of a game."""
    return _COLUMNS.get(game, _DEFAULT_COLUMNS)


def count_names(game: str) -> list[str]:
    """Give the names of the figures that are shown of a game."""
    return [name for column in columns_of(game) for name in column.counts]


def legend_of(game: str) -> str:
    """Explain the columns of a game, and the one that all games have."""
    meanings = [f"{column.heading}: {column.meaning}" for column in columns_of(game) if column.meaning]
    return "; ".join([*meanings, "think: mean milliseconds a decision"])
