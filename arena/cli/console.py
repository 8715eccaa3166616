"""Where words go: results to stdout, everything else to stderr, where no text from outside moves the terminal."""

import json
import os
import sys
from typing import Any, TextIO

from rich.console import Console

from arena.launch.output import harmless

_PLAIN_WIDTH = 120


class _Results(Console):
    """The console for results: whether anybody reads on changes no exit code."""

    def on_broken_pipe(self) -> None:
        """Nobody does."""
        nobody_reads_on()


def nobody_reads_on() -> None:
    """Write what is left to nobody."""
    _write_to_nobody(sys.stdout)


def _write_to_nobody(stream: TextIO) -> None:
    nobody = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nobody, stream.fileno())
    os.close(nobody)


def out() -> Console:
    """The console for results. Where it is no terminal, tables have room and no colours."""
    return _Results(file=sys.stdout, width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False, markup=False)


def say(line: str) -> None:
    """Tell a person something that is no result. May be called from any thread: each line is one write.

    It may hold what a bot's author chose, such as the name of a file; what a terminal would act on is left out.
    """
    try:
        sys.stderr.write("\n".join(map(harmless, line.split("\n"))) + "\n")
        sys.stderr.flush()
    except OSError:  # nobody reads on, or there is no room: it was no result
        _write_to_nobody(sys.stderr)


def say_nothing(line: str) -> None:
    """Tell nobody."""


def show_json(value: Any) -> None:
    """Give a machine its result: one JSON document, on one line unless somebody looks at it."""
    indent = 2 if sys.stdout.isatty() else None
    try:
        print(json.dumps(value, indent=indent, ensure_ascii=False), flush=True)
    except BrokenPipeError:
        nobody_reads_on()
