"""Shows a table as spectators may see it: as a drawing, which the live table shows too, and as text."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from arena.envs.env_spec import EnvSpec
from arena.envs.table import NOBODY, EnvTable
from arena.games.catalogue import pack_of
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Seating, Terms
from arena.plurals import format_count
from arena.replays.watch.drawing import Drawing, DrawnCards, MatchPhase

RENDER_MODES: Final = ("ansi", "human", "drawing")
"""Text, text on stdout, and the value that a live table draws."""


def draw_table(spec: EnvSpec, table: EnvTable) -> Drawing:
    """Return the table as a drawing. The table must keep its events."""
    names = tuple(f"seat {seat}" for seat in range(spec.seats))
    terms = Terms(
        spec.game, spec.preset, spec.ruleset, Pace.sealed_defaults(), names, seating=Seating.FIXED, rated=False
    )
    drawing = pack_of(spec.game.name).load_drawing()
    state, verdict = spec.game.snapshot(table.state, None), None
    for event in table.events:
        part = spec.game.redact(event).public
        if part is not None:
            verdict = drawing.follow_verdict(verdict, part)
    return Drawing(
        phase=MatchPhase.OVER if table.seat == NOBODY else MatchPhase.PLAYING,
        rules=f"{spec.game.name} {spec.preset}",
        game=table.number,
        game_count=table.number + 1,
        games_ended=table.number + (table.seat == NOBODY),
        turn=drawing.count_turns(state),
        seats=tuple(replace(seat, name=names[seat.seat]) for seat in drawing.draw_seats(terms, state, {})),
        centre=tuple(drawing.draw_centre(terms, state, {})),
        verdict=verdict,
    )


def render_table(spec: EnvSpec, table: EnvTable, mode: str | None) -> Drawing | str | None:
    """Render a table that keeps its events, as the mode says. None renders nothing, and `human` writes to stdout."""
    if mode is None:
        return None
    drawing = draw_table(spec, table)
    if mode == "drawing":
        return drawing
    if mode == "human":
        sys.stdout.write(f"{table_text(drawing)}\n")
        return None
    return table_text(drawing)


def table_text(drawing: Drawing) -> str:
    """Return a drawing as lines: the title, a line for each seat, and what lies between them."""
    return "\n".join(_table_lines(drawing))


def _table_lines(drawing: Drawing) -> Iterator[str]:
    yield f"{drawing.rules}, game {drawing.game}, turn {drawing.turn}"
    for seat in drawing.seats:
        place = f"place {seat.place}" if seat.place else ""
        notes = [note for note in (place, seat.turn_note, *seat.badges) if note]
        yield ": ".join([seat.name, ", ".join([_cards_text(seat.hand), *notes])])
    for row in [*drawing.centre, *([] if drawing.verdict is None else [drawing.verdict])]:
        yield f"{row.label}: {row.text}"


def _cards_text(cards: DrawnCards) -> str:
    hidden = "? cards" if cards.back_count is None else format_count(cards.back_count, "card")
    return " + ".join([*([" ".join(cards.faces)] if cards.faces else []), hidden])
