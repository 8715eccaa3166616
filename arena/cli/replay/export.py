"""`arena replay export` and `arena replay html`: write a match to a file that proves it, to a table, or as a page."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import DataOption, MatchArgument, NoServerOption
from arena.cli.replay.library_access import query_library, refuse_server
from arena.errors import RequestError
from arena.plurals import format_count
from arena.typed_command import arena_command


def export(
    match: MatchArgument,
    to: Annotated[Path | None, typer.Option(metavar="FILE", help="File to write, for `arena replay verify`.")] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Table to write, FILE.csv or FILE.parquet: one row for each decision."),
    ] = None,
    data: DataOption = None,
    server: NoServerOption = "",
) -> None:
    """Write a finished match to a file, with everything that anybody needs to check it, or its decisions to a table.

    Both show every hand, and neither contains the notes of bots. A Parquet file needs the package pyarrow.
    """
    from arena.games.catalogue import games, phrasing_of
    from arena.replays.decisions.decision_files import check_table_file, open_decision_file
    from arena.replays.decisions.decision_table import read_decisions
    from arena.replays.proof.export import export as exported
    from arena.replays.proof.replay_document import encode_document

    refuse_server(server, "export")
    if to is None and decisions is None:
        raise RequestError("nothing to write: name a file with --to, or a table with --decisions")
    if decisions is not None:
        check_table_file(decisions)
    if to is not None:
        document = query_library(data, lambda library: exported(library, match, games()))
        with name_errors(to):
            to.write_bytes(encode_document(document))
        events, check = len(document["events"]), arena_command("replay", "verify", to)
        print(f"{to}: match {document['match_id']}, {format_count(events, 'event')}; check it with {check}")
    if decisions is not None:
        match_id, rows = query_library(data, lambda library: read_decisions(library, match, games(), phrasing_of))
        with name_errors(decisions), open_decision_file(decisions) as write:
            write(rows)
        print(f"{decisions}: match {match_id}, {format_count(len(rows), 'decision')}")


def html(
    match: MatchArgument,
    game: Annotated[int, typer.Option(min=0, help="The game, counted from 0.")] = 0,
    seat: Annotated[int | None, typer.Option(min=0, help="Show only what this seat knew.")] = None,
    entrant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show only what this entrant knew, whatever seat it had.")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="File to write. Default: the match id and the game, here."),
    ] = None,
    out: Annotated[Path | None, typer.Option(hidden=True)] = None,
    data: DataOption = None,
    server: NoServerOption = "",
) -> None:
    """Write one game as one page with a player, for a browser without a network.

    The page shows all hands and the notes of all bots. With --seat or --entrant, it shows only what one seat knew. The
    keys: arrows step, space plays and pauses, l and c go to the next lie and the next call.
    """
    from arena.games.catalogue import games, watched_game_of
    from arena.organizer.report.game_page import read_game_page, render_game_page

    refuse_server(server, "html")
    page = query_library(
        data, lambda library: read_game_page(library, match, (game, seat, entrant), games(), watched_game_of)
    )
    to = to or out or Path(f"{page.match_id}-game-{page.game}.html")
    with name_errors(to):
        to.write_text(render_game_page(page), encoding="utf-8")
    lines = format_count(len(page.steps), "line")
    print(f"{to}: game {page.game} of match {page.match_id}, {lines}; open it in a browser:")
    print(to.resolve().as_uri())


@contextmanager
def name_errors(path: Path) -> Iterator[None]:
    """Name the file in the body's errors: that of a full disk names none."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise
