"""`python -m cheatarena join ADDRESS CODE` prepares a machine for its first match."""

import argparse
import asyncio
from pathlib import Path

from cheatarena.commands.arguments import Commands, add_command
from cheatarena.commands.output import tell
from cheatarena.errors import CheatArenaError
from cheatarena.join import join


def add(commands: Commands) -> None:
    """Add the command. Its exit codes are those of `run`."""
    parser = add_command(
        commands,
        "join",
        _run,
        summary="join a server with an invitation",
        description="The tokens are kept in the credentials file, which bots read.",
        exit_codes="0 joined, 64 a setting is missing or invalid, 69 the server is gone, 70 another error,"
        " 76 the server refused the code or a name, or no secure connection could be made, 130 interrupted",
        code_for=_code_for,
    )
    parser.add_argument("address", metavar="ADDRESS", help="HOST:PORT of the server")
    parser.add_argument("code", metavar="CODE", help="the code of the invitation; it works once")
    parser.add_argument("--owner", default="", metavar="NAME", help="your name on the server")
    parser.add_argument("--contact", default="", help="how the organizer reaches you, such as a mail address")
    parser.add_argument("--bot", action="append", metavar="NAME", help="name of a bot of yours; repeatable")
    parser.add_argument("--ca", type=Path, metavar="FILE", help="authority of the server's certificate in PEM")


def _run(asked: argparse.Namespace) -> None:
    joined = asyncio.run(
        join(asked.address, asked.code, owner=asked.owner, contact=asked.contact, bots=asked.bot, ca=asked.ca)
    )
    print(f"joined {joined.address} as {joined.owner}; bots: {', '.join(joined.bots) or 'none yet'}")
    tell(f"The tokens are in {joined.file}, where bots find them.")


def _code_for(error: CheatArenaError) -> int:
    return error.exit_code
