"""What a check runs: the bot's program, the steps, and where the output of the bots goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from arena.author.check.step import ExitStep, Step
from arena.author.check.steps import STEPS
from arena.bots.launch.programs import BotProgram
from arena.cli.bot_argument import find_program
from arena.cli.output_file import check_writable
from arena.errors import BotStartError, OptionError, RequestError, UnknownNameError
from arena.server.config.read_config import read_config


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A check that can be run."""

    program: BotProgram
    steps: Sequence[Step | ExitStep]
    outputs: Path
    """The folder for the output of the bots."""


def make_request(
    bot: str, steps: Sequence[Step | ExitStep], data: Path | None, junit: Path | None, *, is_untrusted: bool = False
) -> CheckRequest:
    """Find the program of a bot.

    Raises RequestError if no bot is given, or if there is no such program on this machine. Raises EnvironmentFaultError
    if `junit`, the file for the results, cannot be written.
    """
    if not bot:
        raise RequestError("BOT: expected a bot, unless --list is given")
    program = _find_program(bot, data, is_untrusted=is_untrusted)
    if junit is not None:
        check_writable(junit)
    return CheckRequest(program, steps, read_config(flags={"data": data}).data.absolute() / "bots")


def select_steps(names: Sequence[str]) -> list[Step | ExitStep]:
    """Return the steps with these names or patterns; all if there are none. Raises UnknownNameError."""
    for name in names:
        if not any(fnmatchcase(each.name, name) for each in STEPS):
            raise UnknownNameError("step", name, [each.name for each in STEPS])
    return [each for each in STEPS if not names or any(fnmatchcase(each.name, name) for name in names)]


def _find_program(bot: str, data: Path | None, *, is_untrusted: bool) -> BotProgram:
    """Find the program of the bot. Raises RequestError if there is none, or if it is a remote bot."""
    try:
        program = find_program(bot, data, is_untrusted=is_untrusted)
    except BotStartError as error:
        raise RequestError(str(error)) from error
    if not isinstance(program, BotProgram):
        raise OptionError("BOT", bot, "a check starts the bot many times, so it has to run on this machine")
    return program
