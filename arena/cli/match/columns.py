"""Looks up the columns that the standings of a game show in addition to places."""

from collections.abc import Sequence

from arena.games.catalogue import pack_of
from arena.games.figure_column import FigureColumn


def columns_of(game: str) -> Sequence[FigureColumn]:
    """Return the columns of a game. Raises UnknownNameError."""
    return pack_of(game).columns


def count_names(game: str) -> list[str]:
    """Return the names of the figures that are shown for a game."""
    return [name for column in columns_of(game) for name in column.counts]


def legend_of(columns: Sequence[FigureColumn]) -> str:
    """Return a legend for some columns of a game, and for the columns that all games have."""
    meanings = [f"{column.heading}: {column.meaning}" for column in columns if column.meaning]
    return "; ".join(["place 1 is best, so a low mean is good", *meanings, "think: mean milliseconds per answer"])
