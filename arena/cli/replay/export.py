"""`arena replay export`: writes a match to a file that proves it, and its decisions to a table."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import DataOption, MatchArgument, NoServerOption
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
) -> int:
    """Write a finished match to a file, with everything that anybody needs to check it, or its decisions to a table.

    Both show every hand, and neither contains the notes of bots. A Parquet file needs the package pyarrow.
    """
    from arena.cli.replay.library_access import query_library, refuse_server
    from arena.errors import RequestError
    from arena.games.catalogue import games, phrasing_of
    from arena.replays.decisions.decision_files import check_table_file, write_decisions
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
        try:
            to.write_bytes(encode_document(document))
        except OSError as error:
            error.filename = str(to)  # the error of a full disk names no file
            raise
        events, check = len(document["events"]), arena_command("replay", "verify", to)
        print(f"{to}: match {document['match_id']}, {format_count(events, 'event')}; check it with {check}")
    if decisions is not None:
        match_id, rows = query_library(data, lambda library: read_decisions(library, match, games(), phrasing_of))
        try:
            write_decisions(rows, decisions)
        except OSError as error:
            error.filename = str(decisions)
            raise
        print(f"{decisions}: match {match_id}, {format_count(len(rows), 'decision')}")
    return ExitCode.YES
