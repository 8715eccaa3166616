"""Formats a short narration: turn, time and marks in the margin, and what happened beside them."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Final

from arena.cli.replay.text import StyledText
from arena.replays.narration.brief_narration import BriefLine
from arena.replays.narration.phrasing import MARK_WORDS, Mark
from arena.replays.narration.text_format import format_seconds

_MARGIN_WIDTH: Final = 19
_BETWEEN_ROWS: Final = " | "


def brief_texts(header: Iterable[str], lines: Sequence[BriefLine], remark: str, width: int) -> Iterator[StyledText]:
    """Yield a replay in its short form, in lines of at most `width` columns."""
    for text in header:
        yield from ((part, "") for part in wrap(text, width, subsequent_indent="    "))
    if any(line.marks for line in lines):
        legend = ", ".join(f"{mark.value} {words}" for mark, words in MARK_WORDS.items())
        yield from ((part, "ask") for part in wrap(f"in the margin: {legend}", width, subsequent_indent="    "))
    for line in lines:
        yield from _line_texts(line, width)
    if remark:
        yield "", ""
        yield from ((part, "fault") for part in wrap(remark, width))


def _line_texts(line: BriefLine, width: int) -> Iterator[StyledText]:
    style = line.marks[-1].value if line.marks else line.kind
    if line.kind == "game":
        yield "", ""
        yield from ((part, style) for part in wrap(line.text, width, subsequent_indent="    "))
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
        yield from ((part, style) for part in _wrap_beside(margin, text, width))


def _margin(line: BriefLine) -> str:
    turn = "" if line.turn is None else line.turn
    at = "" if line.at_us is None else format_seconds(line.at_us)
    return f"{turn:>4} {at:>9}  {''.join(mark.value for mark in Mark if mark in line.marks):<2}"


def _wrap_beside(margin: str, text: str, width: int) -> list[str]:
    indent = " " * _MARGIN_WIDTH
    return wrap(
        text,
        width,
        initial_indent=f"{margin:<{_MARGIN_WIDTH}}",
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
