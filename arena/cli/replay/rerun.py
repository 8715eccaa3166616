"""`arena replay rerun`: seats a bot in a recorded match and shows where it answers differently."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.option_groups import with_option_groups
from arena.cli.options import MatchArgument
from arena.cli.replay.library_access import query_library, refuse_server
from arena.cli.replay.rerun_options import PlaceOptions, RerunSetup
from arena.errors import BotStartError, RequestError

if TYPE_CHECKING:
    from arena.fleet.runner.bot_entrant import BotEntrant

_BOT_HELP: Final = "A script, a folder or manifest (bot.toml), a quoted command, sample:NAME, or remote:NAME."


@with_option_groups
def rerun(
    match: MatchArgument,
    bot: Annotated[str, typer.Option(metavar="BOT", help=_BOT_HELP)],
    place: PlaceOptions,
    setup: RerunSetup,
) -> int:
    """Seat a bot in a recorded match and show where it answers differently.

    The bot gets the recorded questions, without deadlines. The bot's answers change nothing: the match continues as it
    was recorded. Use --patience if the bot leaves questions of live windows unanswered. Exit code 0 if no answer
    differs, 1 if one does.
    """
    from arena.author.rerun.rerun_case import find_rerun_case
    from arena.cli.replay.rerun_session import play_rerun
    from arena.cli.signals import run_until_stopped
    from arena.fleet.assembly.node import run_node_loop

    refuse_server(setup.server, "rerun")
    who = place.seat, place.entrant
    case = query_library(setup.data, lambda library: find_rerun_case(library, match, who, place.game, place.at))
    player = _find_player(bot, case.name)
    with TemporaryDirectory(prefix="arena-rerun-") as folder:
        return run_node_loop(
            lambda clock, selector: run_until_stopped(
                play_rerun(case, player, setup, Path(folder), (clock, selector)),
                lambda: "the record is unchanged",
            )
        )


def _find_player(bot: str, name: str) -> "BotEntrant":
    """Find the bot and name it after the entrant that it replaces. Raises RequestError if it is not found."""
    from arena.bots.launch.programs import RemoteBot, find_bot
    from arena.fleet.runner.bot_entrant import BotEntrant

    try:
        program = find_bot(bot)
    except BotStartError as error:
        raise RequestError(str(error)) from error
    return BotEntrant(name, RemoteBot(name) if isinstance(program, RemoteBot) else program)
