"""The console for tables and coloured text. Importing this module is slow, because it imports rich."""

import sys
from collections.abc import Iterable, Iterator
from textwrap import wrap

from rich.console import Console

from arena.cli.console import discard_stdout, print_status

_PLAIN_WIDTH = 120
_WHOLE_WIDTH = 100_000


class _ResultConsole(Console):
    """A reader that closes the pipe does not change the exit code."""

    def on_broken_pipe(self) -> None:
        discard_stdout()


def stdout_console() -> Console:
    """Without a terminal, tables are 120 columns wide and have no colours."""
    return _ResultConsole(
        file=sys.stdout, width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False, markup=False
    )


def whole_console() -> Console:
    """As `stdout_console`, but without a terminal, tables are as wide as they need, so each row is a line to search."""
    console = stdout_console()
    if not console.is_terminal:
        console.width = _WHOLE_WIDTH
    return console


def wrap_line(line: str, console: Console, indent: str = "  ") -> str:
    """Return a sentence as it is printed on a console: wrapped at the width of a terminal, or else on one line.

    From its second row on it is indented. Lines with a command that can be pasted are not to be wrapped.
    """
    if not console.is_terminal:
        return line
    rows = wrap(line, console.width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(rows)


def wrap_lines(lines: Iterable[str], indent: str = "  ") -> Iterator[str]:
    console = stdout_console()
    for line in lines:
        yield wrap_line(line, console, indent)


def print_wrapped_status(line: str) -> None:
    print_status(wrap_line(line, Console(stderr=True)))
