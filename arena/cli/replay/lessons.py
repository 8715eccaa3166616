"""`arena replay lessons`: the decisions of one entrant that cost it most."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.option_groups import with_option_groups
from arena.cli.options import DataOption, JsonOption, NoServerOption
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.lessons.cases import LessonCase
    from arena.lessons.report import LessonReport

_PLAIN_WIDTH: Final = 100
_MAX_WIDTH: Final = 120
_GROUP_WIDTH: Final = 8
_LABEL_WIDTH: Final = 11


@dataclass(frozen=True, slots=True)
class GameChoice:
    """The options that say which games to look at."""

    entrant: Annotated[str | None, typer.Option(metavar="NAME", help="Entrant whose decisions are looked at.")] = None
    seat: Annotated[
        int | None, typer.Option(min=0, help="Seat whose decisions are looked at, instead of --entrant.")
    ] = None
    game: Annotated[
        int | None,
        typer.Option(min=0, help="Number of the game, from 0. Default: the first game that the entrant lost."),
    ] = None
    lost: Annotated[bool, typer.Option("--lost", help="Look at the newest games that the entrant lost.")] = False
    games: Annotated[
        int, typer.Option(metavar="N", min=1, max=100, help="With --lost: the number of games to look at.")
    ] = 3


@dataclass(frozen=True, slots=True)
class LessonOutput:
    """The options that say how to search, and what to do with what was found."""

    seed: Annotated[int, typer.Option(help="The same seed finds the same lessons.")] = 0
    as_test: Annotated[
        Path | None, typer.Option("--as-test", metavar="FILE", help="Write the worst lesson as a test for pytest.")
    ] = None
    bot: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="With --as-test: the bot's file, from the test's folder. Default: NAME.py, bot.py or NAME/bot.py.",
        ),
    ] = ""
    data: DataOption = None
    server: NoServerOption = ""
    json: JsonOption = False


@with_option_groups
def lessons(
    choice: GameChoice,
    output: LessonOutput,
    match: Annotated[
        str, typer.Argument(metavar="ID", help="Id of the match, or a prefix that no other id has. Not with --lost.")
    ] = "",
) -> int:
    """Show the decisions of an entrant that cost it most, the worst first.

    Each decision is compared with its alternatives by playouts: the cards that the seat did not see are dealt at
    random, as far as they fit what it knew, and sample players play to the end. A report takes about 10 s a game.
    """
    from arena.cli.console import print_json

    reports = []
    for report in _search(match, choice, output):
        reports.append(report)
        if not output.json:
            _print_report(report)
    if output.json:
        print_json([report.as_dict() for report in reports])
    return ExitCode.YES if output.as_test is None else _write_test(reports, output.as_test, output.bot)


def _search(match: str, choice: GameChoice, output: LessonOutput) -> "Iterator[LessonReport]":
    """Yield the report of each game. Raises RequestError if the options choose no game."""
    from arena.cli.console import print_status
    from arena.cli.replay.library_access import refuse_server
    from arena.games.catalogue import games, lesson_model_of, phrasing_of
    from arena.lessons.positions import read_game
    from arena.lessons.report import LessonReport
    from arena.lessons.search import SearchPlan, find_lessons

    refuse_server(output.server, "lessons")
    plan = SearchPlan(seed=output.seed)
    for case in _find_cases(match, choice, output.data):
        model = lesson_model_of(case.entry.terms["game"])
        game = read_game(case.records, games(), case.entrant, case.number, model)
        result = find_lessons(game, model, plan, print_status)
        phrasing = phrasing_of(game.terms.game)
        yield LessonReport(case.entry.match_id, case.name, game, result, plan, model, phrasing)


def _find_cases(match: str, choice: GameChoice, data: Path | None) -> "list[LessonCase]":
    from arena.cli.console import print_status
    from arena.cli.replay.library_access import query_library
    from arena.errors import RequestError
    from arena.games.catalogue import games
    from arena.lessons.cases import find_game, find_lost_games

    if bool(match) == choice.lost:
        raise RequestError("say which games: the ID of a match, or --lost for the newest lost games; one of them")
    entrant, seat = choice.entrant, choice.seat
    if entrant is not None and seat is not None:
        raise RequestError("--seat and --entrant both select a seat: give one of them")
    if not choice.lost and (entrant is not None or seat is not None):
        return [query_library(data, lambda library: find_game(library, games(), match, entrant, seat, choice.game))]
    if entrant is None:
        raise RequestError("say whose decisions: --entrant NAME")
    if choice.game is not None:
        raise RequestError("--game needs the ID of a match, and --lost chooses the games itself: give one of them")
    cases, count = query_library(data, lambda library: find_lost_games(library, games(), entrant, choice.games))
    if count > len(cases):
        lost = format_count(count, "game")
        print_status(f"{entrant} has lost {lost}; these are the newest {len(cases)}, --games N looks at more")
    return cases


def find_bot_file(folder: Path, name: str) -> str:
    """Return the file of a bot, as seen from the folder of its test: NAME.py unless only another usual file exists."""
    usual = (f"{name}.py", "bot.py", f"{name}/bot.py")
    return next((file for file in usual if (folder / file).is_file()), usual[0])


def _write_test(reports: "list[LessonReport]", to: Path, bot: str) -> int:
    """Write the worst lesson of all reports as a test. Return NO if there is no lesson."""
    from arena.cli.console import print_status
    from arena.lessons.pytest_file import write_pytest_file

    found = [(lesson.cost, report, lesson) for report in reports for lesson in report.result.lessons]
    if not found:
        print_status("no lesson stands out, so no test was written")
        return ExitCode.NO
    _, report, lesson = max(found, key=lambda each: each[0])
    own = bot or find_bot_file(to.parent, report.name)
    text = write_pytest_file(report, lesson, own)
    try:
        to.write_text(text, encoding="utf-8")
    except OSError as error:
        error.filename = str(to)  # the error of a full disk names no file
        raise
    if not (to.parent / own).is_file():
        print_status(f"{to} loads the bot from {own}, which is not there: name the bot's file with --bot FILE")
    print_status(f"{to}: game {report.game.number}, turn {lesson.position.turn}; run it with pytest {to}")
    return ExitCode.YES


def _print_report(report: "LessonReport") -> None:
    from arena.cli.replay.text import make_printer

    put, width = make_printer(), _width()
    for text in wrap(report.headline(), width, subsequent_indent="    "):
        put(text, "game")
    for lesson in report.result.lessons:
        put("")
        put(report.lesson_headline(lesson), "decision")
        _print_rows(report.lesson_rows(lesson), put, width)
    put("")
    for remark in report.remarks():
        for text in wrap(remark, width, subsequent_indent="    "):
            put(text, "ask")
    put("")


def _print_rows(rows: "Iterable[tuple[str, str, str]]", put: "Callable[..., None]", width: int) -> None:
    """Print rows of two labels and a text. A first label is not repeated in the rows that follow."""
    last = ""
    for group, label, text in rows:
        first = f"  {'' if group == last else group:<{_GROUP_WIDTH}}{label:<{_LABEL_WIDTH}}"
        indent = " " * len(first)
        for line in wrap(text, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False):
            put(line, {"did": "fault", "better": "end"}.get(group, ""))
        last = group


def _width() -> int:
    """Return the width of the terminal, up to 120 columns; 100 if the output is no terminal."""
    return min(get_terminal_size().columns, _MAX_WIDTH) if sys.stdout.isatty() else _PLAIN_WIDTH
