"""Prints lessons, with commands that show their moments, or writes them as a test."""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Final

from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.match.replay_hint import data_option, replay_command
from arena.cli.present import Styled
from arena.cli.replay.text import WIDTH, add_style, wrap_styled
from arena.errors import RequestError
from arena.plurals import format_count
from arena.replays.lessons.pytest_file import write_pytest_file
from arena.replays.lessons.report import LessonReport
from arena.replays.lessons.search import Lesson
from arena.typed_command import arena_command, python_command

_MAX_WIDTH: Final = 120
_GROUP_WIDTH: Final = 8
_LABEL_WIDTH: Final = 11
_TEST_TIMEOUT_S: Final = 60.0


def report_lines(report: LessonReport, data: Path, bot: str) -> Iterator[Styled]:
    """`data` is the data folder, and `bot` is the bot's file if the user named it."""
    width = min(get_terminal_size().columns, _MAX_WIDTH) if sys.stdout.isatty() else WIDTH
    yield from wrap_styled(report.headline(), "game", width)
    for number, lesson in report.numbered_lessons:
        yield add_style("")
        yield add_style(report.lesson_headline(number, lesson), "decision")
        yield from _row_lines(report.lesson_rows(lesson), width)
        for label, command in lesson_commands(report, lesson, data, bot):
            yield add_style(f"  {label:<{_GROUP_WIDTH}}{command}")  # not wrapped, so that it can be pasted
    yield add_style("")
    for remark in report.remarks():
        yield from wrap_styled(remark, "ask", width)
    yield add_style("")


def lesson_commands(report: LessonReport, lesson: Lesson, data: Path, bot: str) -> Iterator[tuple[str, str]]:
    """Yield a label and a command that shows the moment of a lesson.

    The second command puts the bot back into the position, if its file is here.
    """
    game, turn = report.game.number, report.turn_of(lesson.position)
    is_only = report.game.names.count(report.name) == 1
    who = ("--entrant", report.name) if is_only else ("--seat", report.game.seat)
    yield "show", replay_command(report.match_id, data, *who, "--game", game, "--turn", turn)
    file = bot or find_bot_file(Path(), report.name, has_own_name=True)
    if file and Path(file).exists():
        place = ("--bot", file, "--game", game, "--at", turn)
        yield "rerun", arena_command("replay", "rerun", report.match_id, *who, *place, *data_option(data))


def _row_lines(rows: Iterable[tuple[str, str, str]], width: int) -> Iterator[Styled]:
    """Yield rows of two labels and a text. A first label is not repeated in the rows that follow."""
    last = ""
    for group, label, text in rows:
        first = f"  {'' if group == last else group:<{_GROUP_WIDTH}}{label:<{_LABEL_WIDTH}}"
        indent = " " * len(first)
        for line in wrap(text, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False):
            yield add_style(line, {"did": "fault", "better": "end"}.get(group, ""))
        last = group


def write_lesson_test(reports: Sequence[LessonReport], number: int | None, to: Path, bot: str) -> int:
    """Write one of the lessons as a test: that with this number, or else the worst of all games.

    Return NO if there is no lesson. Raises RequestError if none has this number.
    """
    found = [(each, report, lesson) for report in reports for each, lesson in report.numbered_lessons]
    if not found:
        print_status("no lesson stands out, so no test was written")
        return ExitCode.NO
    chosen = [each for each in found if number in (None, each[0])]
    if not chosen:
        raise RequestError(f"there is no lesson {number}: only {format_count(len(found), 'lesson')} stood out")
    number, report, lesson = max(chosen, key=lambda each: each[2].cost)
    own = bot or find_bot_file(to.parent, report.name)
    text = write_pytest_file(report, lesson, own)
    try:
        to.write_text(text, encoding="utf-8")
    except OSError as error:
        error.filename = str(to)  # the error of a full disk names no file
        raise
    if not (to.parent / own).is_file():
        print_status(f"{to} loads the bot from {own}, which is not there: name the bot's file with --bot FILE")
    place = f"lesson {number}, game {report.game.number}, turn {report.turn_of(lesson.position)}"
    print_status(f"{to}: {place}; run it with {python_command('-m', 'pytest', to)}")
    if find_spec("pytest") is None:
        print_status(f"pytest is not installed: {python_command('-m', 'pip', 'install', 'pytest')}")
    elif (to.parent / own).is_file():
        print_status(_try_test(to))
    return ExitCode.YES


def _try_test(file: Path) -> str:
    """Run the test once, and return what the author should make of it."""
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file))
    try:
        # The author's own code runs here, as in every match. The exit code is the answer, so a failure raises nothing.
        code = subprocess.run(command, capture_output=True, timeout=_TEST_TIMEOUT_S).returncode  # noqa: PLW1510, S603
    except subprocess.TimeoutExpired:
        return f"it does not end within {_TEST_TIMEOUT_S:g} s"
    match code:
        case 0:
            return (
                "it passes already: the bot decides otherwise than in the recorded game. Either its code has changed,"
                " or it draws at random: a test gives it other draws, and `replay rerun` the recorded ones"
            )
        case 1:
            return "it fails now, as it should; mend the bot until it passes"
        case _:
            return "it cannot be run yet; pytest says why"


def find_bot_file(folder: Path, name: str, *, has_own_name: bool = False) -> str:
    """Return the file of a bot, as seen from a folder: NAME.py unless only bot.py or NAME/bot.py exists.

    If `has_own_name`, return only an existing file whose path has the bot's name, or else an empty text.
    """
    named = (f"{name}.py", f"{name}/bot.py")
    if has_own_name:
        return next((file for file in named if (folder / file).is_file()), "")
    usual = (named[0], "bot.py", named[1])
    return next((file for file in usual if (folder / file).is_file()), usual[0])
