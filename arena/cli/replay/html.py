"""`arena replay html`: writes one game as one page with a player, which needs no network."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import DataOption, MatchArgument, NoServerOption
from arena.plurals import format_count


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
) -> int:
    """Write one game as one page with a player, for a browser without a network.

    The page shows all hands and the notes of all bots. With --seat or --entrant, it shows only what one seat knew. The
    keys: arrows step, space plays and pauses, m goes to the next lie or call.
    """
    from arena.cli.replay.library_access import query_library, refuse_server
    from arena.games.catalogue import games, phrasing_of
    from arena.organizer.report.game_page import read_game_page, render_game_page

    refuse_server(server, "html")
    page = query_library(
        data, lambda library: read_game_page(library, match, (game, seat, entrant), games(), phrasing_of)
    )
    to = to or out or Path(f"{page.match_id}-game-{page.game}.html")
    try:
        to.write_text(render_game_page(page), encoding="utf-8")
    except OSError as error:
        error.filename = str(to)  # the error of a full disk names no file
        raise
    lines = format_count(len(page.steps), "line")
    print(f"{to}: game {page.game} of match {page.match_id}, {lines}; open it in a browser:")
    print(to.resolve().as_uri())
    return ExitCode.YES
