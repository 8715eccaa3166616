"""`arena replay lessons`: the decisions of one entrant that cost it most."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.console import print_json, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.option_groups import with_option_groups
from arena.cli.options import DataOption, JsonOption, NoServerOption
from arena.cli.present import print_lines
from arena.cli.replay.library_access import query_library, refuse_server
from arena.cli.store_access import data_folder
from arena.errors import RequestError
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.replays.lessons.cases import LessonCase
    from arena.replays.lessons.report import LessonReport


@dataclass(frozen=True, slots=True)
class GameChoice:
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
    seed: Annotated[int, typer.Option(help="The same seed finds the same lessons.")] = 0
    as_test: Annotated[
        Path | None, typer.Option("--as-test", metavar="FILE", help="Write the worst lesson as a test for pytest.")
    ] = None
    lesson: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --as-test: write the lesson with this number.")
    ] = None
    bot: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="The bot's file; with --as-test, from the test's folder. Default: NAME.py, bot.py or NAME/bot.py.",
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
    random, as far as they fit what it knew, and a sample player plays on in all seats. This takes about 10 s a game.
    """
    from arena.cli.replay.lesson_output import report_lines, write_lesson_test

    if output.lesson is not None and output.as_test is None:
        raise RequestError("--lesson says which lesson becomes a test: it needs --as-test FILE")
    data = data_folder(output.data)
    reports = list["LessonReport"]()
    for report in _search(match, choice, output):
        numbered = replace(report, first_number=1 + sum(len(each.result.lessons) for each in reports))
        reports.append(numbered)
        if not output.json:
            print_lines(report_lines(numbered, data, output.bot if output.as_test is None else ""))
    if output.json:
        print_json([report.as_dict() for report in reports])
    if output.as_test is None:
        return ExitCode.YES
    return write_lesson_test(reports, output.lesson, output.as_test, output.bot)


def _search(match: str, choice: GameChoice, output: LessonOutput) -> "Iterator[LessonReport]":
    """Raises RequestError if the options choose no game."""
    from arena.games.catalogue import games, lesson_model_of, phrasing_of
    from arena.replays.lessons.positions import read_game
    from arena.replays.lessons.report import LessonReport
    from arena.replays.lessons.search import SearchPlan, find_lessons

    refuse_server(output.server, "lessons")
    plan = SearchPlan(seed=output.seed)
    for case in _find_cases(match, choice, output.data):
        model = lesson_model_of(case.entry.terms["game"])
        game = read_game(case.records, games(), case.entrant, case.number, model)
        result = find_lessons(game, model, plan, print_status)
        phrasing = phrasing_of(game.terms.game)
        yield LessonReport(case.entry.match_id, case.name, game, result, plan, model, phrasing)


def _find_cases(match: str, choice: GameChoice, data: Path | None) -> "list[LessonCase]":
    from arena.games.catalogue import games
    from arena.replays.lessons.cases import find_game, find_lost_games

    if bool(match) == choice.lost:
        raise RequestError("say which games: either the ID of a match, or --lost for the newest lost games")
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
