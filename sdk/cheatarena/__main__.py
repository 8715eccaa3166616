"""`python -m cheatarena new NAME` writes a new bot, and `join ADDRESS CODE` prepares a machine for its first match."""

import argparse
import asyncio
import shlex
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from cheatarena.errors import CheatArenaError, SettingsError
from cheatarena.join import join
from cheatarena.new_bot import write_new_bot
from cheatarena.run import replace_missing_letters


class _Parser(argparse.ArgumentParser):
    """A parser whose usage errors have the exit code of `run`."""

    def error(self, message: str) -> NoReturn:
        """Print one sentence to stderr and exit."""
        self.exit(SettingsError.exit_code, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main() -> NoReturn:
    """Run the command line. After an error, print one sentence to stderr and exit with its code (see `run`)."""
    replace_missing_letters()
    asked = _read_command_line()
    work: Callable[[argparse.Namespace], None] = asked.work
    try:
        work(asked)
    except CheatArenaError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)


def _join(asked: argparse.Namespace) -> None:
    joined = asyncio.run(
        join(asked.address, asked.code, owner=asked.owner, contact=asked.contact, bots=asked.bot, ca=asked.ca)
    )
    print(f"joined {joined.address} as {joined.owner}; bots: {', '.join(joined.bots) or 'none yet'}")
    print(f"The tokens are in {joined.file}, where bots find them.", file=sys.stderr)


def _new(asked: argparse.Namespace) -> None:
    files = write_new_bot(asked.folder)
    print(f"wrote {', '.join(map(str, files))}; next:")
    for command in _next_commands(asked.folder):
        print(f"  {command}")


def _next_commands(folder: Path) -> Iterator[str]:
    """Yield the commands that test the new bot and play with it, for the Python that runs this program, as typed."""
    typed = sys.orig_argv[0]
    python, place = shlex.quote(typed), shlex.quote(str(folder))
    if find_spec("pytest") is None:
        yield f"{python} -m pip install pytest"
    yield f"{python} -m pytest {place}"
    if find_spec("arena") is None:
        yield f"{python} {place}/bot.py   # after `{python} -m cheatarena join ADDRESS CODE --bot {folder.name}`"
        return
    arena = shlex.quote(str(Path(typed).with_name("arena"))) if "/" in typed else "arena"
    yield f"{arena} match --bot {place}/ --fill sample:honest --seats 4 --games 8"


def _read_command_line() -> argparse.Namespace:
    parser = _Parser(prog="python -m cheatarena", description="Commands for authors of bots.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    starting = commands.add_parser(
        "new",
        help="write a new bot, with its manifest and its test",
        description="Write a new bot in a new folder: bot.py, its manifest bot.toml, and test_bot.py.",
        epilog="Exit codes: 0 written, 64 the name is invalid or the folder exists.",
    )
    starting.add_argument("folder", metavar="NAME", type=Path, help="the folder to make; its name becomes the bot's")
    starting.set_defaults(work=_new)
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
    joining.set_defaults(work=_join)
    return parser.parse_args()


if __name__ == "__main__":
    main()
