"""Presents results: as JSON for programs, or as lines and tables for people. Only tables and styles import rich."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.bots.launch.output import sanitize_for_terminal
from arena.cli.console import discard_unread, print_json

if TYPE_CHECKING:
    from rich.table import Table

Columns = Mapping[str, str | Callable[[Any], object]]
"""The columns of a table, by heading: a key of each row, or what finds the cell in the row."""


class Styled(NamedTuple):
    """A line of text with its style in rich's notation, such as `bold red`."""

    text: str
    style: str


def present(value: object, is_json: bool, lines: Iterable[object]) -> None:
    """Print a result: its value as JSON, or else its lines, as `print_lines` does.

    Only what is printed is asked for: the value may be a function that returns it, and the lines a generator.
    """
    if is_json:
        print_json(value() if callable(value) else value)
    else:
        print_lines(lines)


def present_rows(rows: Sequence[Mapping[str, Any]], is_json: bool, columns: Columns, if_empty: str = "") -> None:
    """Print rows of plain values: as JSON objects, or as a table with these columns.

    Without rows, `if_empty` is printed instead of the table, if it is given.
    """
    present(rows, is_json, [if_empty] if if_empty and not rows else table_lines(rows, columns))


def table_lines(rows: Iterable[Mapping[str, Any]], columns: Columns) -> "Iterator[Table]":
    """Yield a table with a line for each row. Lists become texts with commas, and None becomes an empty cell."""
    from rich.table import Column, Table
    from rich.text import Text

    table = Table(*(Column(heading, overflow="fold") for heading in columns))
    for row in rows:
        cells = [row[find] if isinstance(find, str) else find(row) for find in columns.values()]
        table.add_row(*(Text(_cell_text(cell)) for cell in cells))
    yield table


def _cell_text(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)
    return _sanitize(text)


def print_lines(lines: Iterable[object]) -> None:
    """Print lines to stdout. Each is a text, without its control characters, or what rich prints, such as a table.

    If the reader closes the pipe, the rest is discarded, and the exit code does not change.
    """
    console = None
    for line in lines:
        text = line.text if isinstance(line, Styled) and not sys.stdout.isatty() else line
        if isinstance(text, str):
            with discard_unread():
                print(_sanitize(text))
            continue
        from arena.cli.result_console import whole_console

        console = console or whole_console()
        console.print(as_rich(text), soft_wrap=isinstance(text, Styled))
    with discard_unread():
        sys.stdout.flush()


def as_rich(line: object) -> Any:
    from rich.text import Text

    if isinstance(line, Styled):
        return Text(_sanitize(line.text), line.style)
    return Text(_sanitize(line)) if isinstance(line, str) else line


def _sanitize(text: str) -> str:
    """Return a text of one or more lines without control characters."""
    return text if text.isprintable() else "\n".join(map(sanitize_for_terminal, text.split("\n")))
