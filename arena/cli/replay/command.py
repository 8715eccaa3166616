"""`arena replay`: lists matches, and shows recorded games whole or as one seat knew them, here or on a server."""

from typing import Annotated

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.option_groups import with_option_groups
from arena.cli.options import DataOption, JsonOption, MatchArgument, ServerOption
from arena.cli.replay import export, html, lessons, list_matches, rerun, verify
from arena.cli.replay.library_access import require_one_source
from arena.cli.replay.show_options import ShowOptions

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@app.callback()
def replay() -> None:
    """Read recorded games, even while a server uses the data folder or after the server was killed."""


app.command("list")(list_matches.list_)
app.command()(html.html)
app.command()(export.export)
app.command()(verify.verify)
app.command()(rerun.rerun)
app.command()(lessons.lessons)


@app.command()
@with_option_groups
def show(
    match: MatchArgument,
    how: ShowOptions,
    game: Annotated[int | None, typer.Option(min=0, help="Show only this game, counted from 0.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Show only what this seat knew at each decision.")] = None,
    entrant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show only what this entrant knew, whatever seat it had.")
    ] = None,
    data: DataOption = None,
    server: ServerOption = "",
    json: JsonOption = False,
) -> int:
    """Show a match, one line a move. With --seat or --entrant, show only what one seat knew.

    Lies and calls are marked: L a lie, C called rightly, X called wrongly. With --seat or --entrant, each decision
    also shows what the seat knew, without what has not changed since its last one. --full shows everything.

    Games, turns and seats count from 0, as in a bot's log. A turn's number is the number of moves and passes made
    before it. The call window after a move belongs to the turn of this move. Times are seconds since the start of the
    game.

    With --server, a match of your own bot is shown as the bot's seat knew it. --entrant is needed only if the bot has
    several seats.
    """
    from arena.cli.console import print_json
    from arena.cli.replay.show import narrate_library_match, print_shown
    from arena.cli.replay.text import header_lines

    if server:
        from arena.cli.replay.remote import show_own_match

        require_one_source(server, data)
        return show_own_match(server, match, (game, seat, entrant), how, is_json=json)
    entry, shown = narrate_library_match(data, match, (game, seat, entrant), how)
    if json:
        plain = [line.as_dict() for line in shown.lines]
        print_json(entry.as_dict() | {"lines": plain, "remark": shown.remark or None})
        return ExitCode.YES
    print_shown(header_lines(entry), shown, how)
    return ExitCode.YES
