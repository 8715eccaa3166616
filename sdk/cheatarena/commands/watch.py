"""`python -m cheatarena watch` follows a running match from the seat of one's own bot."""

import argparse
import asyncio
from collections.abc import AsyncIterator
from typing import Final

from cheatarena.author import AuthorClient
from cheatarena.commands.arguments import PROGRAM, Commands, add_bot, add_command, add_server
from cheatarena.commands.match_text import own_header_lines
from cheatarena.commands.output import Found, Line, present
from cheatarena.commands.own_server import bot_settings, find_own_seat
from cheatarena.commands.seat_text import SeatTeller
from cheatarena.errors import RequestError
from cheatarena.known_games import GAMES

_LOOKED_THROUGH: Final = 100
"""The most matches among which one that runs is looked for, the newest first."""


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "watch",
        _run,
        summary="follow a running match from the seat of your own bot",
        description="What the seat is told is printed at once, a line for each event and question, first all that it"
        " knew when you came, as its table describes it. The bot itself notices nothing. For the moves of all seats in"
        " the words of a spectator, the package of the server has `arena watch`.",
    )
    told = "id of the match, or a prefix that no other id has. Default: the newest match that runs"
    parser.add_argument("match", metavar="ID", nargs="?", default="", help=told)
    told = "which of the bot's seats, if it has several in the match. Default: the first"
    parser.add_argument("--entrant", metavar="NAME", help=told)
    add_server(parser)
    add_bot(parser)


async def follow_match(author: AuthorClient, prefix: str, entrant: str | None) -> AsyncIterator[Line]:
    """Yield what the bot's seat is told in a running match, until the match is over.

    An empty `prefix` stands for the newest match that runs. Raises RequestError if no match or entrant fits, or if this
    version does not know the game, and the errors of `AuthorClient`.
    """
    prefix = prefix or await _find_running(author)
    match_id, number = await find_own_seat(author, prefix, entrant)
    match = await author.match(match_id)
    if match.is_over:
        raise RequestError(f"match {match_id} is over: `{PROGRAM} show {match_id}` shows it")
    if match.game not in GAMES:
        raise RequestError(f"this version knows no game {match.game!r}: expected one of {', '.join(GAMES)}")
    for text in own_header_lines(match):
        yield Line(text)
    teller = SeatTeller(GAMES[match.game], match.results[0].entrant if number is None else number)
    async for message in author.watch(match_id, entrant=number):
        for line in teller.tell(message):
            yield line


async def _find_running(author: AuthorClient) -> str:
    async for match in author.matches(_LOOKED_THROUGH):
        if not match.is_over:
            return match.match_id
    raise RequestError(f"no match of your bot runs now: `{PROGRAM} games` lists those that are over")


def _run(asked: argparse.Namespace) -> None:
    async def work() -> None:
        async with AuthorClient(bot_settings(asked.server, asked.bot, only_reads=True)) as author:
            async for line in follow_match(author, asked.match, asked.entrant):
                present(Found(line.text, [line]), is_json=False)

    asyncio.run(work())
