"""Writes results to stdout and everything else to stderr, without control characters from outside."""

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
    """The console for results. A reader that closes the pipe does not change the exit code."""

    def on_broken_pipe(self) -> None:
        """Discard the remaining results."""
        discard_stdout()


def discard_stdout() -> None:
    """Redirect stdout to the null device, where the remaining results are discarded."""
    _redirect_to_devnull(sys.stdout)


def _redirect_to_devnull(stream: TextIO) -> None:
    with suppress(UnsupportedOperation):  # a stream in memory has no descriptor, and no reader to lose
        number = stream.fileno()
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, number)
        os.close(devnull)


@contextmanager
def keep_verdict() -> Iterator[None]:
    """Wrap the printing of a verdict, so that a closed or full stdout does not change the command's exit code."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        discard_stdout()
        if not isinstance(error, BrokenPipeError):
            print_status(f"the answer cannot be written to stdout: {error.strerror}")


def settle_streams() -> None:
    """Flush or discard all output before the process ends; otherwise Python fails to flush it and exits with 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _redirect_to_devnull(stream)


def stdout_console() -> Console:
    """Return the console for results. If stdout is not a terminal, tables are wide and have no colours."""
    return _ResultConsole(
        file=sys.stdout, width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False, markup=False
    )


def print_status(line: str) -> None:
    """Print a message that is not a result to stderr. It may be called from any thread: each message is one write.

    The message may contain text from a bot's author, such as a file name, so control characters are removed.
    """
    try:
        sys.stderr.write("\n".join(map(sanitize_for_terminal, line.split("\n"))) + "\n")
        sys.stderr.flush()
    except BrokenPipeError:  # the reader has closed the pipe
        _redirect_to_devnull(sys.stderr)
    except OSError:  # the disk is full now; there may be room for the next message
        pass


def discard_status(line: str) -> None:
    """Do nothing: the counterpart of `print_status` for quiet runs."""


def print_json(value: Any) -> None:
    """Print one JSON document to stdout: indented on a terminal, on one line otherwise."""
    indent = 2 if sys.stdout.isatty() else None
    try:
        print(json.dumps(value, indent=indent, ensure_ascii=False), flush=True)
    except BrokenPipeError:
        discard_stdout()
