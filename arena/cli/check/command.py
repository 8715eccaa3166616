"""Declares `arena check`."""

from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli.options import JsonOption, NewDataOption, UntrustedOption

app = typer.Typer(rich_markup_mode="markdown")

_BOT_HELP: Final = "A script, a folder or manifest (bot.toml), a quoted command, or sample:NAME."


@app.command()
def check(
    bot: Annotated[str, typer.Argument(metavar="BOT", help=_BOT_HELP)] = "",
    step: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Run only this step, or those that match, as in `lost-*`; repeatable."),
    ] = None,
    list_steps: Annotated[bool, typer.Option("--list", help="List the steps and run nothing.")] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the results as JUnit XML.")] = None,
    untrusted: UntrustedOption = False,
    data: NewDataOption = None,
    json: JsonOption = False,
) -> int:
    """The bot plays on a real server with sample bots, and everything that it receives and sends is watched. The steps
    lose connections, refuse decisions, join and split frames, and end streams. Each step starts the bot in a new
    process, and shows what was expected and what the bot did.

    Exit code 0 if all steps passed or were skipped, 1 if one failed, 2 if one was not reached. Exit code 3 if the bot
    is missing or could not be built or started: the steps before that are shown, and no further step runs.
    """
    from arena.cli.check.run import CheckRun

    run = CheckRun(bot, step or (), junit, data, is_untrusted=untrusted, is_json=json)
    return run.list_steps() if list_steps else run.play()
