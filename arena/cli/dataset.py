"""`arena dataset`: writes the decisions of recorded games as a table to learn from."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from arena.cli.console import print_status
from arena.cli.option_groups import with_option_groups
from arena.cli.options import DataOption
from arena.cli.replay.export import name_errors
from arena.cli.replay.library_access import query_library
from arena.cli.replay.list_matches import EntrantOption, SinceOption, WithPresetOption, read_since
from arena.errors import RequestError
from arena.plurals import format_count
from arena.replays.library.library_entry import MatchSource
from arena.replays.library.match_filter import MatchFilter

if TYPE_CHECKING:
    from arena.replays.decisions.dataset import Dataset
    from arena.replays.library.library import Library

app = typer.Typer(rich_markup_mode="markdown")


@dataclass(frozen=True, slots=True)
class DatasetFilters:
    """A match has to fit all of them."""

    PANEL: ClassVar = "Filters"

    entrant: EntrantOption = ""
    league: Annotated[str, typer.Option(metavar="NAME", help="Only matches of this league.")] = ""
    preset: WithPresetOption = ""
    source: Annotated[MatchSource | None, typer.Option(help="Only matches played for this.")] = None
    since: SinceOption = ""

    def to_filter(self) -> MatchFilter:
        """Raises OptionError, and UnknownNameError for a preset that no game has."""
        from arena.games.catalogue import resolve_game_and_preset

        if self.preset:
            resolve_game_and_preset("", self.preset)
        since = read_since(self.since, time.time()) if self.since else None
        return MatchFilter(self.source, self.entrant, since=since, preset=self.preset, league=self.league)


@app.command()
@with_option_groups
def dataset(
    filters: DatasetFilters,
    to: Annotated[Path, typer.Argument(metavar="FILE", help="File to write, FILE.parquet or FILE.csv.")],
    data: DataOption = None,
) -> None:
    """Each row has what a seat knew, what it might do and did, whether that was a lie, and its place in the end.

    Matches whose cards are still secret are left out: those that run, and those of a league that share their cards with
    a table that runs. A Parquet file needs the package pyarrow.
    """
    from arena.games.catalogue import games, phrasing_of
    from arena.replays.decisions.dataset import DatasetWriter
    from arena.replays.decisions.decision_files import check_table_file, open_decision_file

    check_table_file(to)
    wanted = filters.to_filter()
    with name_errors(to), open_decision_file(to) as write:

        async def query(library: "Library") -> "Dataset":
            return await DatasetWriter(library, games(), phrasing_of, write).write(wanted)

        written = query_library(data, query, reads_many=True)
        if not written.matches:
            raise RequestError("; ".join(["no match to write" + _with_filter(wanted), *_remarks(written)]))
    for remark in _remarks(written):
        print_status(remark)
    print(f"{to}: {format_count(written.matches, 'match')}, {format_count(written.decisions, 'decision')}")


def _with_filter(wanted: MatchFilter) -> str:
    described = wanted.describe()
    return f" with {described}" if described else ""


def _remarks(written: "Dataset") -> list[str]:
    remarks = list(written.unreadable.values())
    if written.running:
        remarks.append(f"left out while they run: {format_count(written.running, 'match')}")
    if written.sealed:
        remarks.append(f"left out while other tables may play their cards: {format_count(written.sealed, 'match')}")
    return remarks
