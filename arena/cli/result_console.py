"""The console for tables and coloured text. Importing this module is slow, because it imports rich."""

import sys

from rich.console import Console

from arena.cli.console import discard_stdout

_PLAIN_WIDTH = 120


class _ResultConsole(Console):
    """The console for results. A reader that closes the pipe does not change the exit code."""

    def on_broken_pipe(self) -> None:
        """Discard the remaining results."""
        discard_stdout()


def stdout_console() -> Console:
    """Return the console for results. Without a terminal, tables are 120 columns wide and have no colours."""
    return _ResultConsole(
        file=sys.stdout, width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False, markup=False
    )
