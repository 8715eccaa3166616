"""`python -m cheatarena join ADDRESS CODE` prepares an author's machine for the first match."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import NoReturn

from cheatarena.errors import CheatArenaError, SettingsError
from cheatarena.join import join


class _Parser(argparse.ArgumentParser):
    """A parser whose usage errors have the exit code of `run`."""

    def error(self, message: str) -> NoReturn:
        """Print one sentence to stderr and exit."""
        self.exit(SettingsError.exit_code, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main() -> NoReturn:
    """Run the command line. After an error, print one sentence to stderr and exit with its code (see `run`)."""
    asked = _read_command_line()
    try:
        joined = asyncio.run(
            join(asked.address, asked.code, owner=asked.owner, contact=asked.contact, bots=asked.bot, ca=asked.ca)
        )
    except CheatArenaError as error:
        print(error, file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    print(f"joined {joined.address} as {joined.owner}; bots: {', '.join(joined.bots) or 'none yet'}")  # noqa: T201
    print(f"The tokens are in {joined.file}, where bots find them.", file=sys.stderr)  # noqa: T201
    sys.exit(0)


def _read_command_line() -> argparse.Namespace:
    parser = _Parser(prog="python -m cheatarena", description="Commands for authors of bots.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    joining = commands.add_parser(
        "join",
        help="join a server with an invitation",
        description="Join a server with an invitation, and keep the tokens in the credentials file, which bots read.",
        epilog="Exit codes: 0 joined, 64 a setting is missing or invalid, 69 the server is gone, 70 another error,"
        " 76 the server refused the code or a name, or no secure connection could be made, 130 interrupted.",
    )
    joining.add_argument("address", metavar="ADDRESS", help="HOST:PORT of the server")
    joining.add_argument("code", metavar="CODE", help="the code of the invitation; it works once")
    joining.add_argument("--owner", default="", metavar="NAME", help="your name on the server")
    joining.add_argument("--contact", default="", help="how the organizer reaches you, such as a mail address")
    joining.add_argument("--bot", action="append", metavar="NAME", help="name of a bot of yours; repeatable")
    joining.add_argument("--ca", type=Path, metavar="FILE", help="authority of the server's certificate in PEM")
    return parser.parse_args()


if __name__ == "__main__":
    main()
