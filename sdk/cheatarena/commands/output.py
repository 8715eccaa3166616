"""Prints what a command has found to stdout, and messages to stderr. No text of others can act on a terminal."""

import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple


class Line(NamedTuple):
    """A line of text."""

    text: str
    kind: str = ""
    """What the line tells, such as `fault` or `game`, so that it may be coloured."""


class Found(NamedTuple):
    """What a command has found."""

    value: Any
    """For programs, as JSON represents it."""
    lines: Sequence[Line]
    """For people."""


def escape(text: str) -> str:
    r"""Return a line with an escape instead of each character that is not printable.

    >>> print(escape("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    if text.isprintable():
        return text
    letters = text.expandtabs()
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in letters)


def format_date(seconds: float | None) -> str | None:
    """Return a time in seconds since 1970 as text, such as `2026-01-31 12:00:00+00:00`; None stays None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(" ", "seconds")


def present(found: Found, is_json: bool) -> None:
    """Print the value as one JSON document, or else the lines. If the reader has gone, the rest is discarded."""
    try:
        if is_json:
            print(json.dumps(found.value, indent=2 if sys.stdout.isatty() else None), flush=True)
            return
        for line in found.lines:
            print(escape(line.text))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(line: str) -> None:
    """Print a message that is no result."""
    print(escape(line), file=sys.stderr, flush=True)
