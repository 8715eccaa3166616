"""`arena build`: runs the build commands of bots, and starts no bot."""

import asyncio
from typing import Annotated

import typer

from arena.cli.console import print_status
from arena.cli.options import NewDataOption
from arena.cli.store_access import data_folder

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def build(
    bots: Annotated[list[str], typer.Argument(metavar="BOT", help="A script, a folder or manifest (bot.toml).")],
    data: NewDataOption = None,
) -> None:
    """A bot without a build command needs none. Exits with 3 if a bot is missing or its build fails; the output of a
    build is in the folder `bots` of the data folder.
    """
    from arena.bots.launch.programs import find_bot
    from arena.fleet.runner.bot_entrant import BotEntrant
    from arena.fleet.runner.match_bots import build_programs

    players = [BotEntrant(f"bot{number}", find_bot(text)) for number, text in enumerate(bots, 1)]
    asyncio.run(build_programs(data_folder(data) / "bots", players, print_status))
