"""Renders the drawing of a table for a terminal. It knows no game: everything comes from the drawing.

Names and texts come from bots and their owners, so they are only ever put into `Text`, which knows no markup.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.plurals import format_count
from arena.replays.narration.phrasing import Mark
from arena.replays.watch.drawing import Drawing, DrawnCards, DrawnSeat, MatchPhase
from arena.replays.watch.live_table import ToldLine

WIDE_COLUMNS: Final = 140
"""On a terminal with at least this many columns, things stand side by side."""
_NAME_WIDTH: Final = 24
_NUMBER_WIDTH: Final = 4
_MIN_WIDTHS: Final = {"cards": 10, "now": 12}
"""Columns that stay wide, so that the table does not jump when a note appears."""
_MARK_STYLES: Final = {Mark.LIE: "yellow", Mark.RIGHT_CALL: "green", Mark.WRONG_CALL: "red"}
_KIND_STYLES: Final = {"game": "bold cyan", "end": "bold green", "match": "bold green"}


def render_table(drawing: Drawing, lines: Sequence[ToldLine] = (), *, is_wide: bool = False) -> RenderableType:
    """Return the table, and below or beside it the last told lines."""
    title = Text(_title(drawing), style="bold")
    if not drawing.scores:
        return title
    seats, centre = _seat_table(drawing), _centre_table(drawing)
    if not lines:
        return Group(title, Text(), seats, Text(), centre)
    told = _told_table(lines)
    if not is_wide:
        return Group(title, Text(), seats, Text(), centre, Text(), told)
    return Group(title, Text(), stand_side_by_side(Group(seats, Text(), centre), told))


def stand_side_by_side(left: RenderableType, right: RenderableType) -> RenderableType:
    grid = Table.grid(padding=(0, 4, 0, 0))
    grid.add_row(left, right)
    return grid


def _told_table(lines: Sequence[ToldLine]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", justify="right", min_width=_NUMBER_WIDTH)
    table.add_column()
    for line in lines:
        style = next((_MARK_STYLES[mark] for mark in line.marks), _KIND_STYLES.get(line.kind, ""))
        number = "" if line.turn is None else str(line.turn)
        table.add_row(Text(number), Text(line.text, style=style))
    return table


def _title(drawing: Drawing) -> str:
    if drawing.phase is MatchPhase.WAITING:
        return "waiting for the match to begin"
    parts = [drawing.rules]
    if drawing.seats:
        parts.append(f"game {drawing.game}, turn {drawing.turn}")
    parts.append(f"{drawing.games_ended} of {format_count(drawing.game_count, 'game')} over")
    parts += {
        MatchPhase.BREAK: ["a break"],
        MatchPhase.OVER: [f"the match is over, {drawing.termination}"],
    }.get(drawing.phase, [])
    return " · ".join(parts)


def _seat_table(drawing: Drawing) -> Table:
    """Return a row for each seat with its cards, and for each entrant its score; without seats, only the score."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("seat", justify="right")
    table.add_column("bot", no_wrap=True, overflow="ellipsis", max_width=_NAME_WIDTH)
    for heading, width in _MIN_WIDTHS.items():
        table.add_column(heading, min_width=width)
    table.add_column("sum", justify="right", no_wrap=True)
    table.add_column("wins", justify="right", no_wrap=True)
    scores = {score.name: (str(score.place_sum or "-"), str(score.win_count)) for score in drawing.scores}
    for seat in drawing.seats:
        cells = str(seat.seat), seat.name, _cards_text(seat.hand), ", ".join(_seat_notes(seat))
        style = "bold" if seat.is_asked else "dim" if seat.place else ""
        table.add_row(*_cells(*cells, *scores.pop(seat.name)), style=style)
    for name, score in scores.items():
        table.add_row(*_cells("", name, "", "", *score))
    return table


def _centre_table(drawing: Drawing) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    rows = [*drawing.centre, *([] if drawing.verdict is None else [drawing.verdict])]
    for row in rows:
        table.add_row(*_cells(row.label, row.text))
    return table


def _seat_notes(seat: DrawnSeat) -> Iterator[str]:
    if seat.place:
        yield f"place {seat.place}"
    if seat.turn_note:
        yield seat.turn_note
    yield from seat.badges


def _cards_text(cards: DrawnCards) -> str:
    """Return cards as text, those face up one by one.

    >>> _cards_text(DrawnCards(("RC", "HIDE"), 5)), _cards_text(DrawnCards(back_count=None))
    ('RC HIDE + 5', '? cards')
    """
    hidden = "?" if cards.back_count is None else str(cards.back_count)
    if not cards.faces:
        return "? cards" if cards.back_count is None else format_count(cards.back_count, "card")
    return " ".join(cards.faces) + ("" if cards.back_count == 0 else f" + {hidden}")


def _cells(*texts: str) -> Iterable[Text]:
    return map(Text, texts)
