"""`python -m cheatarena games` lists the matches of one's own bot on a server, or its explained faults or figures."""

import argparse
from typing import Final

from cheatarena.author import AuthorClient, OwnFault, OwnFigures, OwnMatch, sum_figures
from cheatarena.commands.arguments import Commands, add_bot, add_command, add_json, add_server, count
from cheatarena.commands.match_text import describe_faults, describe_figures, describe_matches
from cheatarena.commands.output import Found, present
from cheatarena.commands.own_server import ask_server, bot_settings
from cheatarena.settings import Settings

_MOST: Final = 100_000


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "games",
        _run,
        summary="list your own bot's matches, faults and figures on a server",
        description="`show ID` shows a match.",
    )
    add_server(parser)
    add_bot(parser)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--faults", action="store_true", help="show the bot's faults, each with its cause")
    shown.add_argument("--figures", action="store_true", help="show how the bot has played, over all matches")
    told = "maximum number of matches, of faults, or of matches in figures. Default: 20"
    parser.add_argument("--limit", type=count(1, _MOST), default=20, metavar="NUMBER", help=told)
    add_json(parser)


def find_matches(settings: Settings, limit: int) -> Found:
    """Return the newest matches of a bot. Raises the errors of `AuthorClient`, as do the other two."""

    async def read(author: AuthorClient) -> list[OwnMatch]:
        return [match async for match in author.matches(limit)]

    return describe_matches(ask_server(settings, read))


def find_faults(settings: Settings, limit: int) -> Found:
    """Return the newest faults of a bot."""

    async def read(author: AuthorClient) -> list[OwnFault]:
        return [fault async for fault in author.faults(limit=limit)]

    return describe_faults(ask_server(settings, read))


def find_figures(settings: Settings, limit: int) -> Found:
    """Return the figures of the newest matches of a bot, summed up for each game."""

    async def read(author: AuthorClient) -> list[OwnFigures]:
        return [each async for each in author.figures(limit=limit)]

    return describe_figures([*sum_figures(ask_server(settings, read)).values()])


def _run(asked: argparse.Namespace) -> None:
    find = find_faults if asked.faults else find_figures if asked.figures else find_matches
    present(find(bot_settings(asked.server, asked.bot, only_reads=True), asked.limit), asked.json)
