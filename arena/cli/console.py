"""Where words go: results to stdout, everything else to stderr, where no text from outside moves the terminal."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
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
    """Write what is left of the results to nobody."""
    _redirect_to_devnull(sys.stdout)


def _redirect_to_devnull(stream: TextIO) -> None:
    with suppress(UnsupportedOperation):  # a stream in memory has no descriptor, and no reader to lose
        number = stream.fileno()
        nobody = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nobody, number)
        os.close(nobody)


@contextmanager
def keep_verdict() -> Iterator[None]:
    """Print the answer of a command whose exit code is its verdict, which a closed or full stdout does not change."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        discard_stdout()
        if not isinstance(error, BrokenPipeError):
            print_status(f"the answer cannot be written to stdout: {error.strerror}")


def settle_streams() -> None:
    """Leave nothing unwritten at the end of the process: Python would fail to flush it, and exit with 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _redirect_to_devnull(stream)


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
    except BrokenPipeError:  # nobody reads on
        _redirect_to_devnull(sys.stderr)
    except OSError:  # no room now; there may be some for the next line
        pass


def discard_status(line: str) -> None:
    """Tell nobody."""


def print_json(value: Any) -> None:
    """Give a machine its result: one JSON document, on one line unless somebody looks at it."""
    indent = 2 if sys.stdout.isatty() else None
    try:
        print(json.dumps(value, indent=indent, ensure_ascii=False), flush=True)
    except BrokenPipeError:
        discard_stdout()
