"""`python -m cheatarena`: commands for authors of bots. Each is a module of `cheatarena.commands`."""

import argparse
import sys
from collections.abc import Mapping
from typing import NoReturn

from cheatarena.commands import (
    challenge,
    create,
    games,
    join,
    log,
    login,
    new,
    profile,
    revoke,
    roll_back,
    rotate,
    show,
    submit,
    watch,
)
from cheatarena.commands.arguments import PROGRAM, Parser
from cheatarena.commands.output import tell
from cheatarena.errors import CheatArenaError
from cheatarena.run import replace_missing_letters

COMMANDS = (new, join, games, show, watch, challenge, submit, log, roll_back, create, profile, rotate, revoke, login)
"""The modules of all commands, in the order of the help."""


def build_parser() -> tuple[Parser, Mapping[str, argparse.ArgumentParser]]:
    """Return the parser of the command line, and that of each command by its name."""
    parser = Parser(prog=PROGRAM, description="Commands for authors of bots.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser, commands.choices


def main() -> NoReturn:
    """Run the command line. After an error, print one sentence to stderr and exit with the command's code for it."""
    replace_missing_letters()
    parser, _ = build_parser()
    asked = parser.parse_args()
    try:
        code = asked.work(asked)
    except CheatArenaError as error:
        tell(str(error))
        sys.exit(asked.code_for(error))
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(code)


if __name__ == "__main__":
    main()
