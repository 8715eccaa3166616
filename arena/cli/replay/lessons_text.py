"""Prints the lessons of a game, each with the commands that show its moment."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Final

from arena.cli.match.replay_hint import data_option, replay_command
from arena.cli.replay.lesson_test import find_bot_file
from arena.cli.replay.text import WIDTH, make_printer
from arena.replays.lessons.report import LessonReport
from arena.replays.lessons.search import Lesson
from arena.typed_command import arena_command

_MAX_WIDTH: Final = 120
_GROUP_WIDTH: Final = 8
_LABEL_WIDTH: Final = 11


def print_lessons(report: LessonReport, data: Path, bot: str) -> None:
    """Print the report of one game. `data` is the data folder, and `bot` is the bot's file if the user named it."""
    put, width = make_printer(), _width()
    for text in wrap(report.headline(), width, subsequent_indent="    "):
        put(text, "game")
    for number, lesson in report.numbered_lessons:
        put("")
        put(report.lesson_headline(number, lesson), "decision")
        _print_rows(report.lesson_rows(lesson), put, width)
        for label, command in lesson_commands(report, lesson, data, bot):
            put(f"  {label:<{_GROUP_WIDTH}}{command}")  # not wrapped, so that it can be pasted
    put("")
    for remark in report.remarks():
        for text in wrap(remark, width, subsequent_indent="    "):
            put(text, "ask")
    put("")


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


def _print_rows(rows: Iterable[tuple[str, str, str]], put: Callable[..., None], width: int) -> None:
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
    return min(get_terminal_size().columns, _MAX_WIDTH) if sys.stdout.isatty() else WIDTH
