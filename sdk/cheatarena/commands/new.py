"""`python -m cheatarena new NAME` writes a new bot."""

import argparse
import shlex
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from cheatarena.commands.arguments import Commands, add_command
from cheatarena.new_bot import write_new_bot


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "new",
        _run,
        summary="write a new bot, with its manifest and its test",
        description="The new folder has bot.py, its manifest bot.toml, and test_bot.py.",
        exit_codes="0 written, 64 the name is invalid or the folder exists",
    )
    parser.add_argument("folder", metavar="NAME", type=Path, help="the folder to make; its name becomes the bot's")


def _run(asked: argparse.Namespace) -> None:
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
