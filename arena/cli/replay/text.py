"""Formats replays as text with times on the left: whole in 100 columns, or short in the width of the terminal."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from arena.cli.present import Styled, present
from arena.plurals import format_count
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.brief_narration import BriefLine
from arena.replays.narration.phrasing import MARK_WORDS, Mark
from arena.replays.narration.text_format import format_seconds
from arena.server.wire.narration_line import NarrationLine

if TYPE_CHECKING:
    from cheatarena.commands.output import Found

WIDTH: Final = 100
_MARGIN_WIDTH: Final = 16
_BRIEF_MARGIN_WIDTH: Final = 19
_LABEL_WIDTH: Final = 11
_BETWEEN_ROWS: Final = " | "
_STYLES: Final = {
    "game": "bold cyan",
    "decision": "bold",
    "ask": "dim",
    "answers": "dim",
    "fault": "bold red",
    "note": "italic",
    "info": "yellow",
    "end": "bold green",
    "match": "bold green",
    "knew": "dim",
    "L": "yellow",
    "C": "green",
    "X": "red",
}
"""By kind of line; for a marked move, by its last mark."""


def add_style(text: str, kind: str = "") -> Styled:
    return Styled(text, _STYLES.get(kind, ""))


def present_found(found: "Found", is_json: bool) -> None:
    """Print what a command of the SDK has found."""
    present(found.value, is_json, (add_style(*line) for line in found.lines))


def header_lines(entry: LibraryEntry) -> Iterator[str]:
    terms, pace = entry.terms, entry.terms["pace"]
    rules = f"{terms['game']} {entry.preset}, rules version {terms['rules_version']}"
    times = "no deadlines" if pace["no_deadlines"] else f"turn {pace['turn_ms']} ms, call {pace['call_ms']} ms"
    options = {"fixed_window": "fixed windows", "lag_purse": "lag purses"}
    times = ", ".join([times, *(text for name, text in options.items() if pace.get(name))])
    yield f"match {entry.match_id}  {date_text(entry.created_at)}  {entry.state}"
    yield f"{rules}; {pace['style']} pace, {times}; {format_count(terms['game_count'], 'game')}"


def date_text(created_at: float | None) -> str:
    """Return a time in seconds since 1970 as a local date with hour and minute, in 16 columns."""
    if created_at is None:
        return "unknown time    "
    return datetime.fromtimestamp(created_at).astimezone().strftime("%Y-%m-%d %H:%M")


def full_texts(
    header: Iterable[str], lines: Iterable[tuple[NarrationLine, int | None]], remark: str
) -> Iterator[Styled]:
    """`lines` has each line with its turn."""
    yield from map(add_style, header)
    for line, turn in lines:
        yield from (add_style(text, line.kind) for text in line_texts(line, turn))
    if remark:
        yield add_style("")
        yield add_style(remark, "fault")


def line_texts(line: NarrationLine, turn: int | None) -> Iterator[str]:
    """`turn` is the turn to which the line belongs."""
    if line.kind == "game":
        yield ""
    place = "" if turn is None or line.kind not in ("ask", "decision", "answers") else f"{turn}"
    yield from _wrap_beside(f"{place:>4}  {format_seconds(line.at_us):>8}  ", line.text, WIDTH, _MARGIN_WIDTH)
    for label, text in line.rows:
        yield from row_texts(label, text)


def row_texts(label: str, text: str) -> Iterator[str]:
    yield from _wrap_beside(" " * _MARGIN_WIDTH + label, text, WIDTH, _MARGIN_WIDTH + _LABEL_WIDTH)


def brief_texts(header: Iterable[str], lines: Sequence[BriefLine], remark: str, width: int) -> Iterator[Styled]:
    """Yield a replay in its short form, in lines of at most `width` columns, with turn, time and marks on the left."""
    for text in header:
        yield from wrap_styled(text, "", width)
    if any(line.marks for line in lines):
        legend = ", ".join(f"{mark.value} {words}" for mark, words in MARK_WORDS.items())
        yield from wrap_styled(f"in the margin: {legend}", "ask", width)
    for line in lines:
        yield from _brief_line_texts(line, width)
    if remark:
        yield add_style("")
        yield from wrap_styled(remark, "fault", width, indent="")


def wrap_styled(text: str, kind: str, width: int, indent: str = "    ") -> Iterator[Styled]:
    """Yield a text wrapped at a width, in the style of its kind. From the second line on it is indented."""
    return (add_style(part, kind) for part in wrap(text, width, subsequent_indent=indent))


def _brief_line_texts(line: BriefLine, width: int) -> Iterator[Styled]:
    style = line.marks[-1].value if line.marks else line.kind
    if line.kind == "game":
        yield add_style("")
        yield from wrap_styled(line.text, style, width)
        return
    rows = [f"{label} {text}" for label, text in line.rows]
    match line.kind:
        case "move":
            entries = [(_margin(line), _BETWEEN_ROWS.join([line.text, *rows]))]
        case "knew":
            entries = [("", f"knew {_BETWEEN_ROWS.join(rows)}")]
        case _:
            entries = [(_margin(line), line.text), *(("", row) for row in rows)]
    for margin, text in entries:
        yield from (add_style(part, style) for part in _wrap_beside(margin, text, width, _BRIEF_MARGIN_WIDTH))


def _margin(line: BriefLine) -> str:
    turn = "" if line.turn is None else line.turn
    at = "" if line.at_us is None else format_seconds(line.at_us)
    return f"{turn:>4} {at:>9}  {''.join(mark.value for mark in Mark if mark in line.marks):<2}"


def _wrap_beside(margin: str, text: str, width: int, margin_width: int) -> list[str]:
    """Return a text wrapped at a width, beside a margin that is filled up to its own width."""
    first, indent = f"{margin:<{margin_width}}", " " * margin_width
    return wrap(text, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)
