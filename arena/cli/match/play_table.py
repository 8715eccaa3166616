"""Shows how the bots of a run bluff and call: as a table for people and as plain values for machines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.organizer.report.play_columns import PlayColumn, play_column
from arena.organizer.report.play_view import BotPlay, figure_names

if TYPE_CHECKING:
    from rich.table import Table


def play_table(plays: Sequence[BotPlay], names: Sequence[str]) -> "Table | None":
    """Return a table with a row for each name that has figures, in the order of the names; None if there is no figure.

    The table fits into 80 columns.
    """
    columns = {name: column for name in figure_names(plays) if (column := play_column(name)).short}
    if not columns:
        return None
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    by_name = {play.name: play for play in plays}
    legend = "; ".join(f"{column.short}: {_meaning(column)}" for column in columns.values())
    table = Table(caption=legend, caption_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("how they play", no_wrap=True)
    for column in columns.values():
        table.add_column(column.short, justify="right", no_wrap=True)
    for play in (by_name[name] for name in names if name in by_name):
        shares = [(column, play.figures.get(name)) for name, column in columns.items()]
        table.add_row(play.name, *("" if share is None else column.write(share) for column, share in shares))
    return table


def _meaning(column: PlayColumn) -> str:
    """Return what a column shows, without the word that heads it in the table."""
    heading = column.heading.removesuffix(f"({column.short})").strip()
    return heading[:1].lower() + heading[1:]


def plays_as_dict(plays: Sequence[BotPlay]) -> dict[str, dict[str, float | None]]:
    """Return the figures as plain values, by name of the bot and name of the figure.

    A value is None if its situation never arose.
    """
    return {play.name: {what: share.value for what, share in play.figures.items()} for play in plays}
