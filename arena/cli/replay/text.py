"""Formats replays as text of 100 columns with times on the left, and with colours on a terminal."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from arena.plurals import format_count
from arena.replays.narration.text_format import escape_unprintable, format_seconds, join_words
from arena.server.wire.narration_line import NarrationLine

if TYPE_CHECKING:
    from arena.replays.library.library_entry import LibraryEntry
    from arena.replays.library.match_filter import MatchFilter
    from cheatarena.author import OwnMatch

WIDTH: Final = 100
_MARGIN_WIDTH: Final = 16
_LABEL_WIDTH: Final = 11
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


def make_printer() -> Callable[..., None]:
    """Return a function that prints a text. On a terminal, its second argument selects the style."""
    if not sys.stdout.isatty():
        return lambda text, kind="": print(text)  # noqa: ARG005  styles are for terminals
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    return lambda text, kind="": console.print(Text(text, style=_STYLES.get(kind, "")), soft_wrap=True)


StyledText = tuple[str, str]
"""A line of output and the kind that selects its style."""


def full_texts(
    header: Iterable[str], lines: Iterable[tuple[NarrationLine, int | None]], remark: str
) -> Iterator[StyledText]:
    """Yield a replay with everything in it: its header, its lines, and what is missing from them.

    `lines` has each line with its turn.
    """
    yield from ((text, "") for text in header)
    for line, turn in lines:
        yield from ((text, line.kind) for text in line_texts(line, turn))
    if remark:
        yield "", ""
        yield remark, "fault"


def print_replay(texts: Iterable[StyledText], *, is_paged: bool) -> None:
    """Print a replay. On a terminal that is too small for it, show it in a pager if `is_paged`."""
    if not is_paged or not sys.stdout.isatty():
        put = make_printer()
        for text, kind in texts:
            put(text, kind)
        return
    _print_on_terminal(list(texts))


def _print_on_terminal(texts: Sequence[StyledText]) -> None:
    from rich.console import Console
    from rich.text import Text

    from arena.cli.replay.pager import needs_pager, page_text

    console = Console(highlight=False)
    with console.capture() as captured:
        for text, kind in texts:
            console.print(Text(text, style=_STYLES.get(kind, "")), soft_wrap=True)
    if not needs_pager(sum(1 for _ in texts)) or not page_text(captured.get()):
        sys.stdout.write(captured.get())


def entry_lines(entry: "LibraryEntry", wanted: "MatchFilter") -> Iterator[str]:
    """Yield the lines that describe a match in a list. If the list is of lost matches, they name the lost games."""
    state = entry.state + ("" if entry.is_stored or entry.state in ("running", "interrupted") else ", not stored")
    yield _list_line(
        entry.match_id, entry.created_at, entry.preset, entry.games_finished, entry.terms["game_count"], state
    )
    yield from _wrap_details(_source_text(entry) + ", ".join(_entrant_texts(entry)))
    if wanted.is_lost:
        for name, games in zip(entry.entrants, entry.lost_games, strict=True):
            if games and wanted.accepts_name(name):
                yield from _wrap_details(_lost_text(escape_unprintable(name), games))


def empty_list_text(wanted: "MatchFilter") -> str:
    """Return the sentence for an empty list, which says what was asked for."""
    source = "" if wanted.source is None or wanted.source.value == "match" else f"source {wanted.source.value}"
    parts = ", ".join(filter(None, [source, wanted.describe()]))
    return f"no match fits: {parts}" if parts else "no matches yet"


def _source_text(entry: "LibraryEntry") -> str:
    """Return which league or comparison the match belongs to, with a colon; empty if it belongs to none."""
    if entry.source in (None, "match"):
        return ""
    return f"{entry.league}: " if entry.source == "compare" else f"league {entry.league}".rstrip() + ": "


def _list_line(match_id: str, created_at: float | None, preset: str, finished: int, game_count: int, state: str) -> str:
    """Return the first line of a match in a list. It fits into 80 columns unless a number of games has four digits."""
    return f"{match_id}  {_date_text(created_at)}  {preset:<9} games {f'{finished}/{game_count}':<5}  {state}"


def _lost_text(name: str, games: Sequence[int]) -> str:
    """Return in which games an entrant came last."""
    return f"{name} came last in game{'s' if len(games) > 1 else ''} {join_words(games)}"


def _wrap_details(text: str) -> Iterator[str]:
    yield from wrap(text, _list_width(), initial_indent="    ", subsequent_indent="    ")


def _list_width() -> int:
    """Return the width of a list: that of the terminal up to 120 columns, and 100 without a terminal."""
    return min(120, get_terminal_size().columns) if sys.stdout.isatty() else WIDTH


def own_match_lines(match: "OwnMatch") -> Iterator[str]:
    """Yield the lines that describe a match in a list of own matches."""
    state = match.termination if match.is_over else "running"
    played, created_at = match.games_finished, match.created_at.timestamp()
    yield _list_line(match.match_id, created_at, match.preset, played, match.game_count, state)
    for result in match.results:
        strikes = ", ".join(f"{count} {kind}" for kind, count in result.strikes.items() if count)
        text = f"points {result.points:g}, sum of places {sum(result.places)}" + (f" ({strikes})" if strikes else "")
        names = [escape_unprintable(name) for name in match.opponents]
        against = join_words(names) if all(names) else format_count(len(names), "entrant") + " without names"
        yield from _wrap_details(f"{text}; against {against}")


def _date_text(created_at: float | None) -> str:
    if created_at is None:
        return "unknown time    "
    return datetime.fromtimestamp(created_at).astimezone().strftime("%Y-%m-%d %H:%M")


def _entrant_texts(entry: "LibraryEntry") -> Iterator[str]:
    """Yield a text for each entrant: name, sum of places and strikes."""
    for index, name in enumerate(entry.entrants):
        place = f" {entry.place_sums[index]}" if entry.games_finished else ""
        strikes = entry.strikes[index] if entry.strikes else {}
        faults = ", ".join(f"{count} {kind}" for kind, count in strikes.items() if count)
        yield escape_unprintable(name) + place + (f" ({faults})" if faults else "")


def header_lines(entry: "LibraryEntry") -> Iterator[str]:
    """Yield the header lines of a replay."""
    terms, pace = entry.terms, entry.terms["pace"]
    rules = f"{terms['game']} {entry.preset}, rules version {terms['rules_version']}"
    times = "no deadlines" if pace["no_deadlines"] else f"turn {pace['turn_ms']} ms, call {pace['call_ms']} ms"
    options = {"fixed_window": "fixed windows", "lag_purse": "lag purses"}
    times = ", ".join([times, *(text for name, text in options.items() if pace.get(name))])
    yield f"match {entry.match_id}  {_date_text(entry.created_at)}  {entry.state}"
    yield f"{rules}; {pace['style']} pace, {times}; {format_count(terms['game_count'], 'game')}"


def own_header_lines(match: "OwnMatch") -> Iterator[str]:
    """Yield the header lines of a replay from a server."""
    state = match.termination if match.is_over else "running"
    times = f"turn {match.turn_ms} ms, call {match.call_ms} ms" if match.has_deadlines else "no deadlines"
    pace = f"{match.pace} pace, {times}; " if match.pace else ""
    yield f"match {match.match_id}  {_date_text(match.created_at.timestamp())}  {state}"
    rules = f"{match.game} {match.preset}, rules version {match.rules_version}".lstrip()
    yield f"{rules}; {pace}{format_count(match.game_count, 'game')}"


def line_texts(line: NarrationLine, turn: int | None) -> Iterator[str]:
    """Yield a line of a replay and then its rows, wrapped. `turn` is the turn to which the line belongs."""
    if line.kind == "game":
        yield ""
    place = "" if turn is None or line.kind not in ("ask", "decision", "answers") else f"{turn}"
    margin = f"{place:>4}  {format_seconds(line.at_us):>8}  "
    yield from wrap(
        line.text, WIDTH, initial_indent=margin, subsequent_indent=" " * _MARGIN_WIDTH, break_on_hyphens=False
    )
    for label, text in line.rows:
        yield from row_texts(label, text)


def row_texts(label: str, text: str) -> Iterator[str]:
    """Yield a label and its text, wrapped."""
    first, indent = f"{'':{_MARGIN_WIDTH}}{label:<{_LABEL_WIDTH}}", " " * (_MARGIN_WIDTH + _LABEL_WIDTH)
    yield from wrap(text, WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)
