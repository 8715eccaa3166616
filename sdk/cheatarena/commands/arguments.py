"""The parser of the command line, and arguments that several commands share."""

import argparse
from collections.abc import Callable
from typing import Any, Final, NoReturn

from cheatarena.commands.exit_codes import MEANINGS, USAGE, exit_code_for
from cheatarena.errors import CheatArenaError

PROGRAM: Final = "python -m cheatarena"

Commands = Any
"""What `add_subparsers` returns: argparse names its class only inside."""
Work = Callable[[argparse.Namespace], int | None]
"""Runs a command. Returns the exit code; None stands for 0."""


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors are one sentence, with the exit code of `run`."""

    def error(self, message: str) -> NoReturn:
        """Print one sentence to stderr and exit."""
        self.exit(USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def add_command(
    commands: Commands,
    name: str,
    work: Work,
    *,
    summary: str,
    description: str = "",
    exit_codes: str = f"0 done, {MEANINGS}",
    code_for: Callable[[CheatArenaError], int] = exit_code_for,
) -> argparse.ArgumentParser:
    """Add a command and return its parser. `code_for` returns the exit code after an error."""
    told = f"{summary[0].upper()}{summary[1:]}. {description}".rstrip()
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=told, epilog=f"Exit codes: {exit_codes}."
    )
    parser.set_defaults(work=work, code_for=code_for)
    return parser


ONLY_SERVER: Final = "the only one in the credentials file"


def add_server(
    parser: argparse.ArgumentParser, flag: str = "--server", default: str = f"CHEATARENA_ADDRESS, or {ONLY_SERVER}"
) -> None:
    """Add the option that names the server, as `server`. `default` says which it is without the option."""
    told = f"HOST:PORT of the server. Default: {default}"
    parser.add_argument(flag, dest="server", default="", metavar="ADDRESS", help=told)


def add_bot(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the bot, as `bot`."""
    told = (
        "your bot. Default: the bot of CHEATARENA_TOKEN or ARENA_TOKEN, or the one that CHEATARENA_BOT names, or the"
        " only one in the credentials file"
    )
    parser.add_argument("--bot", default="", metavar="NAME", help=told)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option for programs, as `json`."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def count(least: int, most: int) -> Callable[[str], int]:
    """Return an argparse type: a whole number from `least` to `most`."""

    def read(text: str) -> int:
        if text.isdecimal() and text.isascii() and len(text) < 10 and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"expected {least} to {most}, got {text!r}")

    return read
