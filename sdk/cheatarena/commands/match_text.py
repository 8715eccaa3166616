"""The matches, faults and figures of one's own bot: in words, and as values for JSON."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, Final

from cheatarena.author import OwnFault, OwnFigures, OwnMatch, OwnResult
from cheatarena.commands.output import Found, Line, escape
from cheatarena.plurals import format_count

WIDTH: Final = 100
"""The columns of a text that no terminal shows."""
_MOST_COLUMNS: Final = 120
_INDENT: Final = " " * 4


def own_match_as_dict(match: OwnMatch) -> dict[str, Any]:
    """Return a match with the bot's own results, for JSON."""
    names = "game", "rules_version", "preset", "entrants", "games_finished", "game_count"
    return {
        "match_id": match.match_id,
        "created_at": match.created_at.timestamp(),
        **{name: getattr(match, name) for name in names},
        "state": _state_of(match),
        "own": list(map(_result_as_dict, match.results)),
    }


def _result_as_dict(result: OwnResult) -> dict[str, Any]:
    names = "entrant", "places", "points"
    return {name: getattr(result, name) for name in names} | {"strikes": dict(result.strikes)}


def own_match_lines(match: OwnMatch) -> Iterator[Line]:
    """Yield a line with the match, and one with the results of each seat of the bot."""
    games = f"games {f'{match.games_finished}/{match.game_count}':<5}"
    yield Line(f"{match.match_id}  {_date_text(match)}  {match.preset:<9} {games}  {_state_of(match)}")
    names = [escape(name) for name in match.opponents]
    against = _join_words(names) if all(names) else format_count(len(names), "entrant") + " without names"
    for result in match.results:
        strikes = ", ".join(f"{count} {kind}" for kind, count in result.strikes.items() if count)
        told = f"points {result.points:g}, sum of places {sum(result.places)}{f' ({strikes})' if strikes else ''}"
        text = f"{told}; against {against}"
        yield from map(Line, wrap(text, _width(), initial_indent=_INDENT, subsequent_indent=_INDENT))


def own_header_lines(match: OwnMatch) -> Iterator[str]:
    """Yield what stands above the replay of a match: when it was played, under which rules and at which pace."""
    times = f"turn {match.turn_ms} ms, call {match.call_ms} ms" if match.has_deadlines else "no deadlines"
    pace = f"{match.pace} pace, {times}; " if match.pace else ""
    yield f"match {match.match_id}  {_date_text(match)}  {_state_of(match)}"
    rules = f"{match.game} {match.preset}, rules version {match.rules_version}".lstrip()
    yield f"{rules}; {pace}{format_count(match.game_count, 'game')}"


def describe_matches(matches: Sequence[OwnMatch]) -> Found:
    """Return a list of matches."""
    lines = [line for match in matches for line in own_match_lines(match)]
    return Found(list(map(own_match_as_dict, matches)), lines or [Line("no matches yet")])


def describe_faults(faults: Sequence[OwnFault]) -> Found:
    """Return where each fault happened, and what caused it."""
    plain = [asdict(fault) | {"times_us": dict(sorted(fault.times_us.items()))} for fault in faults]
    return Found(plain, [line for fault in faults for line in _fault_lines(fault)] or [Line("no faults")])


def _fault_lines(fault: OwnFault) -> Iterator[Line]:
    yield Line(f"{fault.match_id}  game {fault.game}, turn {fault.turn}: {fault.kind}", "fault")
    text = f"It {escape(fault.explanation)}"
    told = wrap(text, WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)
    yield from map(Line, told)


def describe_figures(totals: Sequence[OwnFigures]) -> Found:
    """Return the figures of each game, by name."""
    plain = [
        {"game": each.game, "game_count": each.game_count, "points": each.points, "figures": dict(each.values)}
        for each in totals
    ]
    none = [Line("no finished matches yet")]
    return Found(plain, [line for total in totals for line in _figure_lines(total)] or none)


def _figure_lines(total: OwnFigures) -> Iterator[Line]:
    mean = total.points / total.game_count if total.game_count else 0.0
    yield Line(f"{total.game}: {format_count(total.game_count, 'game')}, {mean:.3f} points a game", "game")
    for name, value in sorted(total.values.items()):
        yield Line(f"{_INDENT}{name:<20} {f'{value:>10.3f}' if value % 1 else f'{value:>6.0f}'}")


def _state_of(match: OwnMatch) -> str:
    return match.termination if match.is_over else "running"


def _date_text(match: OwnMatch) -> str:
    """Return when a match began, in local time, in 16 columns."""
    return match.created_at.astimezone().strftime("%Y-%m-%d %H:%M")


def _join_words(words: Sequence[str]) -> str:
    *most, last = words or [""]
    return f"{', '.join(most)} and {last}" if most else last


def _width() -> int:
    return min(_MOST_COLUMNS, get_terminal_size().columns) if sys.stdout.isatty() else WIDTH
