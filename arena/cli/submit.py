"""`arena submit`: submits a bot to a server, and follows it until it plays or is refused."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from arena.bots.submissions.submission import FINAL
from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption, OwnServerOption
from arena.cli.present import present
from arena.cli.submission import describe_submission
from arena.typed_command import arena_command

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def submit(
    package: Annotated[
        Path, typer.Argument(metavar="FOLDER|ARCHIVE", help="The bot's folder with its bot.toml, or its archive.")
    ],
    to: OwnServerOption = "",
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until the bot plays or is refused.")] = True,
    json: JsonOption = False,
) -> int:
    """A lost connection is made again, and the upload goes on where it stopped. Your token is in the credentials file
    (see `arena join`), or in ARENA_TOKEN, as in CI: `arena submission token` makes one for that. Exits with 1 if the
    server refuses the bot.
    """
    from arena.bots.packages.packing import open_package
    from cheatarena.commands.own_submissions import submission_as_dict
    from cheatarena.commands.submit import submit as submit_archive
    from cheatarena.packing import PackedBot

    archive, checked = open_package(package)
    manifest = checked.manifest
    bot = PackedBot(manifest.name, manifest.version, has_pools=bool(manifest.pools))
    with archive:
        found, steps = asyncio.run(submit_archive(archive, bot, to, print_status, _log_command, waits=wait))
    present(submission_as_dict(found, steps), json, [describe_submission(found)])
    return ExitCode.NO if found.state in FINAL else ExitCode.YES


def _log_command(version: str) -> str:
    return arena_command("submission", "log", version)
