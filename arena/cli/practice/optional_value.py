"""Lets `--chaos` have a value or none, which Typer does not offer."""

from typing import Any

from typer.core import TyperCommand

from arena.author.trouble.trouble import ALL, KINDS

_FLAG = "--chaos"


class ChaosCommand(TyperCommand):
    """A command whose option `--chaos` means `--chaos all` if no list of kinds follows it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Add the value that is left out, and parse the arguments."""
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
    following = args[place : place + 1]
    has_value = bool(following) and (_is_list(following[0]) or not _is_option_or_bot(following[0]))
    return args if has_value else [*args[:place], ALL, *args[place:]]


def _is_list(word: str) -> bool:
    return all(part in (*KINDS, ALL) for part in word.split(","))


def _is_option_or_bot(word: str) -> bool:
    return word.startswith("-") or any(sign in word for sign in "./: \\")
