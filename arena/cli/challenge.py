"""`arena challenge`: lets the user's own bot play an unrated match against other bots of a server."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from arena.cli.console import print_json, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.option_groups import with_option_groups
from arena.cli.options import CallOption, JsonOption, RulesOptions, TurnOption
from arena.cli.replay.text import present_found
from arena.cli.ruleset_file import read_rules
from arena.errors import OptionError, OptionsError
from arena.typed_command import arena_command

app = typer.Typer(rich_markup_mode="markdown")


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
    from cheatarena.commands.challenge import challenge as challenge_bots
    from cheatarena.commands.challenge import wait_for_outcome
    from cheatarena.commands.own_server import bot_settings

    settings = bot_settings(options.server, options.bot)
    match_id = challenge_bots(settings, opponents, **_read_terms(options, rules))
    if not json:
        print(match_id, flush=True)
        command = arena_command("replay", "show", match_id, "--server", settings.address)
        print_status(f"To see its finished games: {command}")
    if not options.wait:
        if json:
            print_json({"match_id": match_id})
        return ExitCode.YES
    found, is_played = wait_for_outcome(settings, match_id)
    present_found(found, json)
    return ExitCode.YES if is_played else ExitCode.NO


def _read_terms(options: ChallengeOptions, rules: RulesOptions) -> Mapping[str, Any]:
    """Raises OptionsError."""
    from arena.cli.match.order import parse_options

    read, errors = read_rules(rules.preset), list[OptionError]()
    settings_of_rules = {**read.options, **parse_options(rules.set_ or (), errors)}
    if errors:
        raise OptionsError(errors)
    return {
        "instance": options.instance,
        "game": rules.game,
        "preset": read.preset,
        "options": settings_of_rules,
        "pace": options.pace,
        "pace_options": options.pace_options,
        "game_count": options.games,
    }
