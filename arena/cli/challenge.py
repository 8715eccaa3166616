"""`arena challenge`: lets the user's own bot play an unrated match against other bots of a server."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.console import print_json, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.option_groups import with_option_groups
from arena.cli.options import CallOption, JsonOption, RulesOptions, TurnOption
from arena.cli.present import present
from arena.cli.ruleset_file import read_rules
from arena.errors import OptionError, OptionsError
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from cheatarena.author import AuthorClient, OwnMatch
    from cheatarena.settings import Settings

app = typer.Typer(rich_markup_mode="markdown")

POLL_INTERVAL_S: Final = 1.0
START_TIMEOUT_S: Final = 60.0
"""Seconds after which a match that has neither begun nor been withdrawn counts as lost. Offers last for ten seconds."""
WITHDRAWN: Final = "withdrawn"
"""The termination of a match that a bot did not accept."""


@dataclass(frozen=True, slots=True)
class ChallengeOptions:
    games: Annotated[int, typer.Option(min=1, max=100, help="Games of the match, 1 to 100.")] = 1
    pace: Annotated[str, typer.Option(help="sealed: in rounds, with hidden answers. live: as at a real table.")] = (
        "sealed"
    )
    turn_ms: TurnOption = None
    call_ms: CallOption = None
    server: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Server, as host:port. Default: as for a bot of the SDK.")
    ] = ""
    bot: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Your bot, whose token is in the credentials file. Default: the bot of CHEATARENA_TOKEN or "
            "ARENA_TOKEN, or the only one in the file.",
        ),
    ] = ""
    instance: Annotated[str, typer.Option(help="The instance of your bot that plays. Default: its only one.")] = ""
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the result.")] = True

    @property
    def pace_options(self) -> Mapping[str, str]:
        given = {"turn_ms": self.turn_ms, "call_ms": self.call_ms}
        return {name: str(value) for name, value in given.items() if value is not None}


@app.command()
@with_option_groups
def challenge(
    opponents: Annotated[
        list[str],
        typer.Argument(
            metavar="OPPONENT",
            help="A bot: NAME or NAME/INSTANCE, also another instance of your own; or house:POOL for a house bot.",
        ),
    ],
    *,
    options: ChallengeOptions,
    rules: RulesOptions,
    json: JsonOption = False,
) -> int:
    """All bots have to be connected, also your own. Each opponent decides whose challenges it accepts
    (CHEATARENA_CHALLENGES: own, nobody or everybody); house bots accept all. If a bot does not take its seat, the match
    is withdrawn and the exit code is 1.
    """
    from arena.cli.author import bot_settings, own_match_as_dict

    settings = bot_settings(options.server, options.bot)
    match_id = asyncio.run(_challenge(settings, opponents, options, rules))
    if not json:
        print(match_id, flush=True)
        command = arena_command("replay", "show", match_id, "--server", settings.address)
        print_status(f"To see its finished games: {command}")
    if not options.wait:
        if json:
            print_json({"match_id": match_id})
        return ExitCode.YES
    from arena.cli.replay.list_text import own_match_lines

    match = asyncio.run(_wait(settings, match_id))
    withdrawn = ["the match was withdrawn, because a bot did not take its seat"]
    lines = withdrawn if match.termination == WITHDRAWN else own_match_lines(match)
    present(own_match_as_dict(match), json, lines)
    return ExitCode.NO if match.termination == WITHDRAWN else ExitCode.YES


async def _challenge(settings: "Settings", opponents: list[str], options: ChallengeOptions, rules: RulesOptions) -> str:
    """Return the id of the match. Raises OptionsError, and the SDK's errors."""
    from arena.cli.match.order import parse_options
    from cheatarena.pool_client import PoolClient

    read, errors = read_rules(rules.preset), list[OptionError]()
    settings_of_rules = {**read.options, **parse_options(rules.set_ or (), errors)}
    if errors:
        raise OptionsError(errors)
    async with PoolClient(settings) as client:
        return await client.challenge(
            opponents,
            instance=options.instance,
            game=rules.game,
            preset=read.preset,
            options=settings_of_rules,
            pace=options.pace,
            pace_options=options.pace_options,
            game_count=options.games,
        )


async def _wait(settings: "Settings", match_id: str) -> "OwnMatch":
    from cheatarena.author import AuthorClient

    async with AuthorClient(settings) as author:
        return await wait_for_match(author, match_id)


async def wait_for_match(author: "AuthorClient", match_id: str) -> "OwnMatch":
    """Return the match when it is over. Raises the SDK's errors.

    The server knows nothing of a match while its seats are offered, so an unknown match is asked for again.
    """
    from cheatarena.errors import RefusedError

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
