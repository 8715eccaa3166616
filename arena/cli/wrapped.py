"""Wraps sentences at the width of the terminal. Elsewhere a sentence stays on one line, as programs expect it.

Lines with a command that can be pasted are not to be wrapped.
"""

from textwrap import wrap
from typing import TYPE_CHECKING

from arena.cli.console import print_status

if TYPE_CHECKING:
    from rich.console import Console


def wrap_line(line: str, console: "Console", indent: str = "  ") -> str:
    """Return a line as it is printed on a console: from its second row on it is indented."""
    if not console.is_terminal:
        return line
    rows = wrap(line, console.width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(rows)


def print_wrapped_status(line: str) -> None:
    """Print a message that is not a result to stderr."""
    from rich.console import Console

    print_status(wrap_line(line, Console(stderr=True)))
