"""Formats the matches of a data folder as a list. Those of one's own bot on a server are formatted by the SDK."""

import sys
from collections.abc import Iterator, Mapping
from shutil import get_terminal_size
from textwrap import wrap

from arena.cli.replay.text import WIDTH, date_text
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.library.match_filter import MatchFilter
from arena.replays.narration.text_format import escape_unprintable, join_words


def entry_lines(entry: LibraryEntry, wanted: MatchFilter) -> Iterator[str]:
    """If the list is of lost matches, the lines name the lost games."""
    state = entry.state + ("" if entry.is_stored or entry.state in ("running", "interrupted") else ", not stored")
    # It fits into 80 columns unless a number of games has four digits.
    games = f"{entry.games_finished}/{entry.terms['game_count']}"
    yield f"{entry.match_id}  {date_text(entry.created_at)}  {entry.preset:<9} games {games:<5}  {state}"
    yield from _wrap_details(_source_text(entry) + ", ".join(_entrant_texts(entry)))
    if wanted.is_lost:
        for name, lost in zip(entry.entrants, entry.lost_games, strict=True):
            if lost and wanted.accepts_name(name):
                numbers = f"game{'s' if len(lost) > 1 else ''} {join_words(lost)}"
                yield from _wrap_details(f"{escape_unprintable(name)} came last in {numbers}")


def empty_list_text(wanted: MatchFilter) -> str:
    source = "" if wanted.source is None or wanted.source.value == "match" else f"source {wanted.source.value}"
    parts = ", ".join(filter(None, [source, wanted.describe()]))
    return f"no match fits: {parts}" if parts else "no matches yet"


def _source_text(entry: LibraryEntry) -> str:
    """Return which league or comparison the match belongs to, with a colon; empty if none."""
    if entry.source in (None, "match"):
        return ""
    return f"{entry.league}: " if entry.source == "compare" else f"league {entry.league}".rstrip() + ": "


def _entrant_texts(entry: LibraryEntry) -> Iterator[str]:
    for index, name in enumerate(entry.entrants):
        place = f" {entry.place_sums[index]}" if entry.games_finished else ""
        yield escape_unprintable(name) + place + _strikes_text(entry.strikes[index] if entry.strikes else {})


def _strikes_text(strikes: Mapping[str, int]) -> str:
    """Return the strikes of an entrant in parentheses; empty if it has none."""
    text = ", ".join(f"{count} {kind}" for kind, count in strikes.items() if count)
    return f" ({text})" if text else ""


def _wrap_details(text: str) -> Iterator[str]:
    """Yield the details of a match, wrapped at the terminal's width up to 120 columns, or at 100 without a terminal."""
    width = min(120, get_terminal_size().columns) if sys.stdout.isatty() else WIDTH
    yield from wrap(text, width, initial_indent="    ", subsequent_indent="    ")
