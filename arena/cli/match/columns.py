"""What the table of standings shows of a game besides places: which figures, and in what columns."""

from collections.abc import Sequence

from arena.games.catalogue import pack_of
from arena.games.figure_column import FigureColumn


def columns_of(game: str) -> Sequence[FigureColumn]:
    """Give the columns of a game. Raises UnknownNameError."""
    return pack_of(game).columns


def count_names(game: str) -> list[str]:
    """Give the names of the figures that are shown of a game."""
    return [name for column in columns_of(game) for name in column.counts]


def legend_of(game: str) -> str:
    """Explain the columns of a game, and the one that all games have."""
    meanings = [f"{column.heading}: {column.meaning}" for column in columns_of(game) if column.meaning]
    return "; ".join([*meanings, "think: mean milliseconds a decision"])
