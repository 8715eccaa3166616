"""The commands that show replays of matches and their lessons, as messages suggest them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from arena.errors import RequestError
from arena.match.referee.match_order import MatchReport
from arena.match.referee.terms import Terms
from arena.plurals import format_count
from arena.server.config.server_config import DEFAULT_DATA_FOLDER
from arena.typed_command import arena_command

MAX_LISTED: Final = 20
"""The most matches that are listed one by one."""


def replay_command(match_id: str, data: Path, *choice: object) -> str:
    """`choice` has options that show only a part of the match."""
    return arena_command("replay", "show", match_id, *choice, *data_option(data))


def lessons_command(terms: Terms, match_id: str, data: Path, *choice: object) -> str:
    """Return the command that shows lessons of a match; `choice` has the options that select an entrant.

    Return an empty text if matches with these terms have no lessons, because of the game, the pace or the rules.
    """
    from arena.games.catalogue import lesson_model_of

    try:
        lesson_model_of(terms.game.name).check(terms)
    except RequestError:
        return ""
    return arena_command("replay", "lessons", match_id, *choice, *data_option(data))


def data_option(data: Path) -> tuple[object, ...]:
    """Empty for the folder that commands use by default."""
    return () if data == DEFAULT_DATA_FOLDER else ("--data", data)


def replay_lines(reports: Sequence[MatchReport], names: Sequence[str], data: Path) -> Iterator[str]:
    """Yield the command that shows a match. If there are several, yield a short line for each, and one command.

    `names` are the entrants, in the order of the reports.
    """
    if len(reports) == 1:
        yield f"replay: {replay_command(reports[0].match_id, data)}"
        return
    yield "matches, each with the bot that came first and its mean place:"
    for report in reports[:MAX_LISTED]:
        yield f"  {_match_line(report, names)}"
    if len(reports) > MAX_LISTED:
        rest = format_count(len(reports) - MAX_LISTED, "match")
        yield f"  and {rest} more: {arena_command('replay', 'list', '--limit', len(reports), *data_option(data))}"
    yield f"replay: {replay_command('ID', data)}"


def _match_line(report: MatchReport, names: Sequence[str]) -> str:
    count = len(report.games)
    sums = [sum(game.places[entrant] for game in report.games) for entrant in range(len(names))]
    best = min(sums)
    first = ", ".join(name for name, each in zip(names, sums, strict=True) if each == best) if count else ""
    ending = "" if report.termination == "finished" else f" {report.termination}"
    mean = f"  {first} {best / count:.2f}" if count else ""
    return f"{report.match_id}  {format_count(count, 'game')}{mean}{ending}"
