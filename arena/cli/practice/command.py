"""The command `arena practice` for Typer, with `--chaos`, whose list of kinds is optional."""

from typing import Any, Final

import typer
from typer.core import TyperCommand

from arena.author.trouble.trouble import ALL, KINDS
from arena.cli.option_groups import with_option_groups
from arena.cli.practice.options import PracticeOptions

_FLAG: Final = "--chaos"

app = typer.Typer(rich_markup_mode="markdown")


class ChaosCommand(TyperCommand):
    """A command whose bare `--chaos` means `--chaos all`, which Typer cannot express."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, add_value(args))


def add_value(args: list[str]) -> list[str]:
    """Return the arguments with `all` after a `--chaos` that has no value.

    The next word is a value unless it is an option, or unless it names a bot: then it has a dot, a slash, a colon or a
    space.

    >>> add_value(["bot.py", "--chaos"]), add_value(["--chaos", "bot.py"]), add_value(["bot.py", "--chaos", "drops"])
    (['bot.py', '--chaos', 'all'], ['--chaos', 'all', 'bot.py'], ['bot.py', '--chaos', 'drops'])
    """
    if _FLAG not in args:
        return args
    place = args.index(_FLAG) + 1
    word = args[place] if place < len(args) else "-"
    is_list = all(part in (*KINDS, ALL) for part in word.split(","))
    is_option_or_bot = word.startswith("-") or any(sign in word for sign in "./: \\")
    return args if is_list or not is_option_or_bot else [*args[:place], ALL, *args[place:]]


@app.command(cls=ChaosCommand)
@with_option_groups
def practice(options: PracticeOptions) -> int:
    """The games run on a real server on this machine and are not rated. With --chaos, the same games are played again
    under each kind of trouble, and the table compares each kind with a quiet phase. To see who plays better, use `arena
    match`; to learn which rules of the protocol a bot breaks, use `arena check`.

    Exit code 0 if the bot has no faults of its own, 1 if it has some, 3 if a bot does not start.
    """
    from arena.cli.practice.run import play_practice

    return play_practice(options)
