"""Where words go: results to stdout, everything else to stderr, where no text from outside moves the terminal."""

import json
import os
import sys
from typing import Any, TextIO

from rich.console import Console

from arena.launch.output import sanitize_for_terminal

_PLAIN_WIDTH = 120


class _ResultConsole(Console):
    """The console for results: whether anybody reads on changes no exit code."""

    def on_broken_pipe(self) -> None:
        """Nobody does."""
        discard_stdout()


def discard_stdout() -> None:
    """Write what is left to nobody."""
    _redirect_to_devnull(sys.stdout)


def _redirect_to_devnull(stream: TextIO) -> None:
    nobody = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nobody, stream.fileno())
    os.close(nobody)


def stdout_console() -> Console:
    """The console for results. Where it is no terminal, tables have room and no colours."""
    return _ResultConsole(
        file=sys.stdout, width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False, markup=False
    )


def print_status(line: str) -> None:
    """Tell a person something that is no result. May be called from any thread: each line is one write.

    It may hold what a bot's author chose, such as the name of a file; what a terminal would act on is left out.
    """
    try:
        sys.stderr.write("\n".join(map(sanitize_for_terminal, line.split("\n"))) + "\n")
        sys.stderr.flush()
    except OSError:  # nobody reads on, or there is no room: it was no result
        _redirect_to_devnull(sys.stderr)


def discard_status(line: str) -> None:
    """Tell nobody."""


def print_json(value: Any) -> None:
    """Give a machine its result: one JSON document, on one line unless somebody looks at it."""
    indent = 2 if sys.stdout.isatty() else None
    try:
        print(json.dumps(value, indent=indent, ensure_ascii=False), flush=True)
    except BrokenPipeError:
        discard_stdout()
