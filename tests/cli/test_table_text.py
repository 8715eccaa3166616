"""The drawing of a table as text of a terminal."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from arena.cli.table_text import WIDE_COLUMNS, render_table
from arena.replays.narration.phrasing import Mark
from arena.replays.watch.drawing import Drawing, DrawnCards, DrawnRow, DrawnScore, DrawnSeat, MatchPhase
from arena.replays.watch.live_table import ToldLine

HOSTILE = r"\x1b[2J[bold]eve[/bold] :smile:"
"""A name as the live table escapes it, with markup of rich and an emoji code."""

DRAWING = Drawing(
    phase=MatchPhase.PLAYING,
    rules="cheat standard",
    game=3,
    game_count=20,
    games_ended=3,
    turn=14,
    seats=(
        DrawnSeat(0, "ann", DrawnCards(back_count=11), is_to_move=True, is_asked=True),
        DrawnSeat(1, HOSTILE, DrawnCards(back_count=None), is_asked=True, badges=("passed",)),
        DrawnSeat(2, "cid", DrawnCards(("RC", "HIDE"), 5), is_to_move=True),
        DrawnSeat(3, "dot", DrawnCards(), place=2),
    ),
    centre=(DrawnRow("pile", "3 cards from 2 moves", (DrawnCards(back_count=3),)),),
    verdict=DrawnRow("last call", f"ann calls {HOSTILE} rightly: 2C; {HOSTILE} takes 4", (DrawnCards(("2C",)),)),
    scores=(
        DrawnScore(HOSTILE, 7, 0), DrawnScore("ann", 3, 2), DrawnScore("cid", 9, 1), DrawnScore("dot", 11, 0),
    ),
)  # fmt: skip
LINES = (
    ToldLine(8, "event", f"ann calls {HOSTILE} rightly: 2C", 3, 12, (Mark.RIGHT_CALL,)),
    ToldLine(9, "end", "game 3 is over, finished: 1 ann, 2 cid", 3),
)


def render(drawing: Drawing, *lines: ToldLine, width: int = 80) -> list[str]:
    """Return the rows of the screen, without spaces at their ends."""
    screen = StringIO()
    Console(file=screen, width=width, color_system=None).print(
        render_table(drawing, lines, is_wide=width >= WIDE_COLUMNS)
    )
    return [row.rstrip() for row in screen.getvalue().splitlines()]


def row_of(rows: list[str], word: str) -> str:
    return next(row for row in rows if word in row)


def test_seats_have_cards_notes_and_score():
    rows = render(DRAWING)

    assert rows[0] == "cheat standard · game 3, turn 14 · 3 of 20 games over"
    assert row_of(rows, "  ann ").split() == ["0", "ann", "11", "cards", "to", "move", "3", "2"]
    assert row_of(rows, "? cards").endswith("7     0")
    assert "asked, passed" in row_of(rows, "? cards")
    assert row_of(rows, "  cid ").split() == ["2", "cid", "RC", "HIDE", "+", "5", "in", "turn", "9", "1"]
    assert "place 2" in row_of(rows, "  dot ")
    assert row_of(rows, "pile").split() == ["pile", "3", "cards", "from", "2", "moves"]


def test_nothing_in_a_name_has_an_effect():
    rows = render(DRAWING, *LINES, width=200)
    text = "\n".join(rows)

    assert r"ann calls \x1b[2J[bold]eve[/bold] :smile: rightly: 2C" in text
    assert "\x1b" not in text


def test_long_name_is_cut():
    seat = DrawnSeat(0, "a" * 64, DrawnCards(back_count=5))
    rows = render(Drawing(MatchPhase.PLAYING, seats=(seat,), scores=(DrawnScore("a" * 64, 0, 0),)))

    assert max(map(len, rows)) <= 80
    assert "a" * 23 + "…" in "\n".join(rows)


@pytest.mark.parametrize("width", [80, 200])
def test_drawing_fits_into_the_terminal(width):
    """On a wide one, the lines stand beside the table."""
    rows = render(DRAWING, *LINES, width=width)

    assert max(map(len, rows)) <= width
    assert (row_of(rows, "12  ann calls") == row_of(rows, "seat  bot")) is (width >= WIDE_COLUMNS)


def test_sum_of_places_is_no_number_before_a_game_is_over():
    rows = render(replace(DRAWING, scores=tuple(replace(each, place_sum=0) for each in DRAWING.scores)))

    assert row_of(rows, "  dot ").split()[-4:] == ["place", "2", "-", "0"]


def test_match_that_has_not_begun_is_awaited():
    assert render(Drawing()) == ["waiting for the match to begin"]


def test_break_shows_the_score_to_those_who_have_just_come():
    rows = render(Drawing(MatchPhase.BREAK, "cheat folk", 1, 4, 2, scores=DRAWING.scores))

    assert rows[0] == "cheat folk · 2 of 4 games over · a break"
    assert row_of(rows, "ann").split() == ["ann", "3", "2"]


def test_end_of_the_match_is_named():
    rows = render(Drawing(MatchPhase.OVER, "cheat folk", 1, 4, 2, termination="cancelled", scores=DRAWING.scores))

    assert rows[0] == "cheat folk · 2 of 4 games over · the match is over, cancelled"
