"""Writes a lesson as a test for pytest. The test fails as long as the bot decides as in the recorded game."""

from collections.abc import Iterator

from arena.replays.lessons.report import LessonReport
from arena.replays.lessons.search import Lesson
from arena.replays.narration.text_format import escape_unprintable


def write_pytest_file(report: LessonReport, lesson: Lesson, bot: str) -> str:
    """Return the text of a test for a lesson. `bot` is the bot's file, as seen from the folder of the test."""
    return "\n".join(_lines(report, lesson, bot)) + "\n"


def _lines(report: LessonReport, lesson: Lesson, bot: str) -> Iterator[str]:
    game, model, position = report.game, report.model, lesson.position
    did, better = model.write_answer(position.action), model.write_answer(lesson.better)
    words = report.phrasing.describe_action(lesson.better)
    answers = sorted({answer.split("(")[0].split(".")[0] for answer in (did, better)})
    turn = report.turn_of(position)
    yield f'"""A lesson of game {game.number} of match {report.match_id}, turn {turn}.'
    yield ""
    yield f"The bot decided {did}. Better by {lesson.cost:.2f} ± {lesson.standard_error:.2f} places: {better}."
    yield '"""'
    yield ""
    yield "from pathlib import Path"
    yield ""
    yield f"from cheatarena import {', '.join(answers)}"
    yield f"from cheatarena.testing import {model.script_class}, is_same_decision, load_bot, play_through"
    yield ""
    yield f"BOT = load_bot(Path(__file__).parent / {bot!r})"
    yield f"DECIDED = {did}"
    yield f"BETTER = {better}"
    yield ""
    yield ""
    yield f"def position() -> {model.script_class}:"
    yield f'    """Return everything that {_plain(report.name)} had received in this game, up to the question."""'
    for line in model.write_script(game.terms, game.seat, game.story[: position.story_length]):
        yield f"    {line}"
    yield "    return story"
    yield ""
    yield ""
    yield f"def test_game_{game.number}_turn_{turn}_{position.prompt.kind}() -> None:"
    yield f'    """The bot does not decide as it did. It was better if it {_plain(words)}."""'
    yield "    answer = play_through(BOT, position())[-1]"
    yield ""
    yield '    assert not is_same_decision(answer, DECIDED), f"decided {answer} again; better: {BETTER}"'


def _plain(text: str) -> str:
    """Return a text that may stand in a docstring."""
    return escape_unprintable(text).replace("\\", "/").replace('"', "'")
