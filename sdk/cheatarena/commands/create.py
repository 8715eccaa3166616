"""`python -m cheatarena create BOT` creates a bot of one's own on a server, with a token to play from one's machine."""

import argparse

from cheatarena.commands.arguments import ONLY_SERVER, Commands, add_command, add_server
from cheatarena.commands.own_server import call_as_owner, open_credentials


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "create",
        _run,
        summary="create a bot on a server that you have joined, with a token in the credentials file",
        description="A bot of yours that has no valid token, such as a submitted one, gets a token, with which it can"
        " also play from this machine. To replace a lost one, use `rotate`.",
    )
    parser.add_argument("bot", metavar="BOT", help="the bot's name")
    add_server(parser, default=ONLY_SERVER)


def create(name: str, address: str) -> str:
    """Create a bot, keep its token in the credentials file, and return a sentence that says so.

    Raises SettingsError if the file cannot be used, and the errors of `AccountClient`.
    """
    file, address = open_credentials(address)
    file.save()
    bot, token = call_as_owner(file, address, lambda client: client.create_bot(name))
    file.keep_bot(address, bot, token)
    return f"{bot} is a bot of {file.servers[address].owner} at {address}; its token is in {file.path}"


def _run(asked: argparse.Namespace) -> None:
    print(create(asked.bot, asked.server))
