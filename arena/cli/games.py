"""`arena games`: lists the matches of one's own bot on a server, or shows the bot's explained faults or figures."""

from typing import Annotated

import typer

from arena.cli.options import JsonOption, OwnServerOption
from arena.cli.replay.text import present_found

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def games(
    server: OwnServerOption = "",
    faults: Annotated[bool, typer.Option("--faults", help="Show the bot's faults, each with its cause.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Show how the bot has played, over all matches.")] = False,
    limit: Annotated[
        int, typer.Option(min=1, max=100_000, help="Maximum number of matches, of faults, or of matches in figures.")
    ] = 20,
    json: JsonOption = False,
) -> None:
    """The token identifies the bot: that in CHEATARENA_TOKEN or ARENA_TOKEN, or else in the credentials file.
    `arena replay show ID --server ADDRESS` shows a match move by move.
    """
    from cheatarena.commands.games import find_faults, find_figures, find_matches
    from cheatarena.commands.own_server import bot_settings

    find = find_faults if faults else find_figures if figures else find_matches
    present_found(find(bot_settings(server, only_reads=True), limit), json)
