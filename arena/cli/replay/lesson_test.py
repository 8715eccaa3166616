"""Writes a lesson as a test for pytest, and says how to run it."""

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.errors import RequestError
from arena.plurals import format_count
from arena.replays.lessons.pytest_file import write_pytest_file
from arena.replays.lessons.report import LessonReport
from arena.typed_command import python_command

_TEST_TIMEOUT_S: Final = 60.0


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
        raise RequestError(f"there is no lesson {number}: {format_count(len(found), 'lesson')} stood out")
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
