"""Formats replays as text of 100 columns with times on the left, and with colours on a terminal."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from arena.replays.shown_line import ShownLine
from arena.replays.text_format import escape_unprintable, format_count, format_seconds, join_words

if TYPE_CHECKING:
    from arena.replays.library import LibraryEntry
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


def full_texts(header: Iterable[str], lines: Iterable[ShownLine], remark: str) -> Iterator[StyledText]:
    """Yield a replay with everything in it: its header, its lines, and what is missing from them."""
    yield from ((text, "") for text in header)
    for line in lines:
        yield from ((text, line.kind) for text in line_texts(line))
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


def entry_lines(entry: "LibraryEntry") -> Iterator[str]:
    """Yield the lines that describe a match in a list of matches."""
    played = f"{entry.games_finished}/{entry.terms['game_count']}"
    state = entry.state + ("" if entry.is_stored or entry.state in ("running", "interrupted") else ", not stored")
    yield f"{entry.match_id}  {_date_text(entry.created_at)}  {entry.preset:<11} games {played:<7}  {state}"
    yield from wrap(", ".join(_entrant_texts(entry)), WIDTH, initial_indent="    ", subsequent_indent="    ")


def own_match_lines(match: "OwnMatch") -> Iterator[str]:
    """Yield the lines that describe a match in a list of own matches."""
    played = f"{match.games_finished}/{match.game_count}"
    state = match.termination if match.is_over else "running"
    date = _date_text(match.created_at.timestamp())
    yield f"{match.match_id}  {date}  {match.preset:<11} games {played:<7}  {state}"
    for result in match.results:
        strikes = ", ".join(f"{count} {kind}" for kind, count in result.strikes.items() if count)
        text = f"points {result.points:g}, sum of places {sum(result.places)}" + (f" ({strikes})" if strikes else "")
        names = [escape_unprintable(name) for name in match.opponents]
        against = join_words(names) if all(names) else format_count(len(names), "entrant") + " without names"
        yield from wrap(f"{text}; against {against}", WIDTH, initial_indent="    ", subsequent_indent="    ")


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


def line_texts(line: ShownLine) -> Iterator[str]:
    """Yield a line of a replay and then its rows, wrapped."""
    if line.kind == "game":
        yield ""
    place = "" if line.turn is None or line.kind not in ("ask", "decision", "answers") else f"{line.turn}"
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
