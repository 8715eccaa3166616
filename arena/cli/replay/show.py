"""Selects the lines of a match that `arena replay show` shows, and prints them."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.cli.replay.brief_text import brief_texts
from arena.cli.replay.library_access import query_library
from arena.cli.replay.show_options import ShowOptions
from arena.cli.replay.text import WIDTH, full_texts, print_replay
from arena.errors import RequestError
from arena.games.catalogue import games, pack_of, phrasing_of
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.brief_narration import shorten
from arena.replays.narration.move_numbers import number_lines, read_turn_range, select_turns
from arena.replays.narration.narrate import narrate, visible_names
from arena.replays.narration.phrasing import Phrasing
from arena.server.wire.narration_line import NarrationLine

_LEAST_WIDTH: Final = 40


@dataclass(frozen=True, slots=True)
class ShownMatch:
    """What is shown of a match."""

    lines: Iterable[NarrationLine]
    remark: str
    """What is missing from the lines; empty if nothing is."""
    names: Sequence[str]
    """The names to show, by entrant."""
    phrasing: Phrasing | None
    """None if this version of the arena does not know the game."""


def narrate_library_match(
    data: Path | None, prefix: str, which: tuple[int | None, int | None, str | None], how: ShowOptions
) -> tuple[LibraryEntry, ShownMatch]:
    """Return a match of the data folder with what is shown of it.

    `which` is the game, the seat and the entrant that were asked for. Raises what `narrate` raises.
    """
    entry, lines, remark = query_library(data, lambda library: narrate(library, prefix, games(), phrasing_of, *which))
    names = visible_names(entry, is_one_seat=which[1:] != (None, None))
    return entry, select_shown(lines, remark, entry.terms["game"], names, how)


def select_shown(
    lines: Iterable[NarrationLine], remark: str, game: str, names: Sequence[str], how: ShowOptions
) -> ShownMatch:
    """Return the lines about the turns that were asked for, or all. Raises RequestError if there are none."""
    phrasing = pack_of(game).load_phrasing() if game in games() else None
    if how.turn is not None:
        turns = read_turn_range(how.turn)
        lines = list(select_turns(lines, turns, phrasing)) if phrasing is not None else []
        if not lines:
            raise RequestError(f"there is no turn {turns} in what is shown")
    return ShownMatch(lines, remark, names, phrasing)


def print_shown(header: Iterable[str], shown: ShownMatch, how: ShowOptions) -> None:
    """Print what is shown of a match: one line a move, or everything if it was asked for."""
    if how.full or shown.phrasing is None:
        texts = full_texts(header, number_lines(shown.lines, shown.phrasing), shown.remark)
    else:
        lines = list(shorten(shown.lines, shown.phrasing, shown.names))
        texts = brief_texts(header, lines, shown.remark, _text_width())
    print_replay(texts, is_paged=not how.no_pager)


def _text_width() -> int:
    """Return the width of the terminal, or that of a replay on paper."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(_LEAST_WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
