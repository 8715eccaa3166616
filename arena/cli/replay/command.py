"""`arena replay`: lists matches, and shows recorded games whole or as one seat knew them, here or on a server."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import DataOption, JsonOption, MatchArgument, ServerOption
from arena.cli.replay import lessons, rerun, verify
from arena.cli.replay.library_access import query_library, require_one_source

if TYPE_CHECKING:
    from arena.replays.library import Library, LibraryEntry

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@app.callback()
def replay() -> None:
    """Read recorded games, even while a server uses the data folder or after the server was killed."""


app.command()(verify.export)
app.command()(verify.verify)
app.command()(rerun.rerun)
app.command()(lessons.lessons)


@app.command("list")
def list_(
    data: DataOption = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number of matches.")] = 20,
    server: ServerOption = "",
    json: JsonOption = False,
) -> int:
    """List matches, newest first.

    A match whose server was killed is `interrupted`. Everything that was acknowledged in it is saved. With --server,
    the list has the matches of your own bot, as `arena games` shows them.
    """
    from arena.cli.console import print_json, print_status
    from arena.cli.replay.text import entry_lines, make_printer

    if server:
        from arena.cli.games import list_own_matches

        require_one_source(server, data)
        return list_own_matches(server, limit, json)
    entries, damage = query_library(data, _list_newest(limit))
    for remark in damage:
        print_status(remark)
    if json:
        print_json([entry.as_dict() for entry in entries])
        return ExitCode.YES
    put = make_printer()
    for entry in entries:
        for line in entry_lines(entry):
            put(line)
    if not entries:
        put("no matches yet")
    return ExitCode.YES


def _list_newest(
    limit: int,
) -> "Callable[[Library], Coroutine[Any, Any, tuple[list[LibraryEntry], list[str]]]]":
    """Return a query for the newest matches, and for all damage to the journals that were searched."""

    async def query(library: "Library") -> "tuple[list[LibraryEntry], list[str]]":
        return await library.newest(limit), [*library.damage.values()]

    return query


@app.command()
def show(
    match: MatchArgument,
    game: Annotated[int | None, typer.Option(min=0, help="Show only this game, counted from 0.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Show only what this seat knew at each decision.")] = None,
    entrant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show only what this entrant knew, whatever seat it had.")
    ] = None,
    data: DataOption = None,
    server: ServerOption = "",
    json: JsonOption = False,
) -> int:
    """Show a match move by move. With --seat or --entrant, show only what one seat knew.

    Games, turns and seats count from 0, as in a bot's log. A turn's number is the number of moves and passes made
    before it. Times are seconds since the start of the game.

    With --server, a match of your own bot is shown as the bot's seat knew it. --entrant is needed only if the bot has
    several seats.
    """
    from arena.cli.console import print_json
    from arena.cli.replay.text import header_lines, print_replay
    from arena.games.catalogue import games, phrasing_of
    from arena.replays.narrate import narrate

    if server:
        from arena.cli.replay.remote import show_own_match

        require_one_source(server, data)
        return show_own_match(server, match, game, seat, entrant, is_json=json)
    entry, lines, remark = query_library(
        data, lambda library: narrate(library, match, games(), phrasing_of, game, seat, entrant)
    )
    if json:
        plain = [line.as_dict() for line in lines]
        print_json(entry.as_dict() | {"lines": plain, "remark": remark or None})
        return ExitCode.YES
    print_replay(header_lines(entry), lines, remark)
    return ExitCode.YES
