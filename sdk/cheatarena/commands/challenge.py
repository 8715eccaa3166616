"""`python -m cheatarena challenge OPPONENT` lets one's own bot play an unrated match against other bots of a server."""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cheatarena.author import AuthorClient, OwnMatch
from cheatarena.commands.arguments import PROGRAM, Commands, add_bot, add_command, add_json, add_server, count
from cheatarena.commands.exit_codes import MEANINGS, NO
from cheatarena.commands.match_text import own_match_as_dict, own_match_lines
from cheatarena.commands.output import Found, Line, present, tell
from cheatarena.commands.own_server import ask_server, bot_settings
from cheatarena.errors import RefusedError, RequestError
from cheatarena.pool_client import PoolClient
from cheatarena.settings import Settings

POLL_INTERVAL_S: Final = 1.0
START_TIMEOUT_S: Final = 60.0
"""Seconds after which a match that has neither begun nor been withdrawn counts as lost. Offers last for ten seconds."""
_WITHDRAWN: Final = "withdrawn"
"""The termination of a match that a bot did not accept."""
_MOST_GAMES: Final = 100
_MOST_MS: Final = 10**8


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "challenge",
        _run,
        summary="let your bot play an unrated match against other bots",
        description="All bots have to be connected, also your own. Each opponent decides whose challenges it accepts"
        " (CHEATARENA_CHALLENGES: own, nobody or everybody); house bots accept all.",
        exit_codes=f"0 played, {NO} withdrawn, because a bot did not take its seat, {MEANINGS}",
    )
    told = "NAME or NAME/INSTANCE, also another instance of your own bot; or house:POOL for a house bot"
    parser.add_argument("opponents", metavar="OPPONENT", nargs="+", help=told)
    told = f"games of the match, 1 to {_MOST_GAMES}. Default: 1"
    parser.add_argument("--games", type=count(1, _MOST_GAMES), default=1, metavar="NUMBER", help=told)
    parser.add_argument("--game", default="", help="game to play. Default: that of the preset, or Cheat")
    parser.add_argument("--preset", default="", help="preset of the rules. Default: the game's first")
    told = "change one option of the rules; repeatable"
    parser.add_argument("--set", dest="options", action="append", default=[], metavar="OPTION=VALUE", help=told)
    told = "sealed: in rounds, with hidden answers. live: as at a real table. Default: sealed"
    parser.add_argument("--pace", choices=("sealed", "live"), default="sealed", help=told)
    parser.add_argument("--turn-ms", type=count(0, _MOST_MS), metavar="MS", help="milliseconds for each turn")
    parser.add_argument("--call-ms", type=count(0, _MOST_MS), metavar="MS", help="milliseconds for each call window")
    parser.add_argument("--instance", default="", help="the instance of your bot that plays. Default: its only one")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the result")
    add_server(parser)
    add_bot(parser)
    add_json(parser)


def challenge(settings: Settings, opponents: Sequence[str], **terms: Any) -> str:
    """Return the id of the match. `terms` and errors are those of `PoolClient.challenge`."""

    async def work() -> str:
        async with PoolClient(settings) as client:
            return await client.challenge(opponents, **terms)

    return asyncio.run(work())


def wait_for_outcome(settings: Settings, match_id: str) -> tuple[Found, bool]:
    """Wait until a match is over. Return its result, and whether it was played. Raises the errors of `AuthorClient`."""
    match = ask_server(settings, lambda author: wait_for_match(author, match_id))
    is_played = match.termination != _WITHDRAWN
    withdrawn = [Line("the match was withdrawn, because a bot did not take its seat")]
    lines = own_match_lines(match) if is_played else withdrawn
    return Found(own_match_as_dict(match), [*lines]), is_played


async def wait_for_match(author: AuthorClient, match_id: str) -> OwnMatch:
    """Return the match when it is over. Raises the errors of `AuthorClient`.

    The server knows nothing of a match while its seats are offered, so an unknown match is asked for again.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + START_TIMEOUT_S
    while True:
        try:
            found = [each async for each in author.matches(1, match_id=match_id) if each.match_id == match_id]
        except RefusedError as error:
            if error.reason != "UNKNOWN_MATCH" or loop.time() > until:
                raise
            found = []
        if found and found[0].is_over:
            return found[0]
        await asyncio.sleep(POLL_INTERVAL_S)


def _run(asked: argparse.Namespace) -> int:
    settings = bot_settings(asked.server, asked.bot)
    times = {"turn_ms": asked.turn_ms, "call_ms": asked.call_ms}
    match_id = challenge(
        settings,
        asked.opponents,
        instance=asked.instance,
        game=asked.game,
        preset=asked.preset,
        options=_read_options(asked.options),
        pace=asked.pace,
        pace_options={name: str(value) for name, value in times.items() if value is not None},
        game_count=asked.games,
    )
    if not asked.json:
        present(Found(match_id, [Line(match_id)]), is_json=False)
        tell(f"To see its finished games: {PROGRAM} show {match_id} --server {settings.address}")
    if asked.no_wait:
        if asked.json:
            present(Found({"match_id": match_id}, []), is_json=True)
        return 0
    found, is_played = wait_for_outcome(settings, match_id)
    present(found, asked.json)
    return 0 if is_played else NO


def _read_options(texts: Sequence[str]) -> Mapping[str, str]:
    options: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise RequestError(f"--set {text!r}: expected option=value")
        if name in options:
            raise RequestError(f"--set {text!r}: {name} is set twice")
        options[name] = value
    return options
