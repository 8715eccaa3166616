"""`--as-test`: the written file fails for the bot that decided so, and passes for one that decides better."""

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cheatarena
from arena.games.catalogue import games, phrasing_of
from arena.games.cheat.lessons.model import CHEAT_LESSONS
from arena.games.cheat.rules.actions import CALL, DECLINE, Action, Play
from arena.games.cheat.rules.game import CHEAT
from arena.match.referee.scalars import EntrantIndex
from arena.practice import play
from arena.replays.lessons.positions import Position, read_game
from arena.replays.lessons.pytest_file import write_pytest_file
from arena.replays.lessons.report import LessonReport
from arena.replays.lessons.search import Lesson, SearchPlan, SearchResult
from cheatarena import Bot
from cheatarena.testing import play_through
from tests.replays.lessons.recorded_bots import CallerOfNothing, Honest, Waiter, play_game


def write_bot(path: Path, bot: type[Bot]) -> None:
    """Write a bot's file, as an author has it."""
    imports = "from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Play, Table, TurnOptions, run"
    classes = [inspect.getsource(each) for each in reversed(bot.__mro__) if each.__module__ == bot.__module__]
    ending = f'if __name__ == "__main__":\n    run({bot.__name__})\n'
    path.write_text("\n\n".join([imports, *classes, ending]))


def run_pytest(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )


def report_of(game, lesson) -> LessonReport:
    result = SearchResult([lesson], [], 1, 1, 0)
    return LessonReport("M", "my bot", game, result, SearchPlan(), CHEAT_LESSONS, phrasing_of(CHEAT))


@pytest.mark.slow
def test_written_test_fails_for_the_blunder_and_passes_without_it(tmp_path):
    game, player = play_game(CallerOfNothing, 4)
    position = next(each for each in game.positions if (each.turn, each.prompt.kind) == player.blunder)
    assert position.action == CALL
    written = tmp_path / "test_lesson.py"
    written.write_text(
        write_pytest_file(report_of(game, Lesson(position, DECLINE)), Lesson(position, DECLINE), "my.py")
    )

    write_bot(tmp_path / "my.py", CallerOfNothing)
    bad = run_pytest(written)
    write_bot(tmp_path / "my.py", Waiter)
    good = run_pytest(written)

    assert bad.returncode == 1, bad.stdout
    assert "decided call again; better: decline" in bad.stdout
    assert good.returncode == 0, good.stdout


def story_of(game, position: Position):
    """Run the statements of a written script, and return its story."""
    names: dict[str, Any] = {}
    code = CHEAT_LESSONS.write_script(game.terms, game.seat, game.story[: position.story_length])
    exec("\n".join(["from cheatarena.testing import Script", *code]), names)
    return names["story"]


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("standard", {}),
        ("standard", {"check": "caller", "believe": True, "passing": "pass_trick", "decks": 2}),
        ("standard", {"check": "public+", "banish_on_new_trick": True, "passing": "pass_turn", "rank_start": ["A"]}),
        ("rank_lock", {}),
        ("ascending", {}),
    ],
)
@pytest.mark.parametrize("bot", [Honest, Waiter])
def test_written_position_makes_the_bot_decide_as_it_did(preset, options, bot: type[Bot]):
    """In the written messages, a bot knows what it knew in the match: it gives every answer again."""
    options = {"max_turns": 80, **options}
    played = play([bot, Waiter, Honest, Waiter], preset, options, seed=3)
    game = read_game(played.records, games(), EntrantIndex(0), 0, CHEAT_LESSONS)

    answers = play_through(bot, story_of(game, game.positions[-1]))

    assert len(answers) == len(game.positions) > 3
    assert [code_of(each) for each in answers] == [CHEAT_LESSONS.write_answer(each.action) for each in game.positions]


def code_of(answer: object) -> str:
    """Return an answer of the SDK as the code that makes it."""
    return CHEAT_LESSONS.write_answer(action_of(answer))


def action_of(answer: Any) -> Action:
    """Return an answer of the SDK as an action of the rules."""
    if isinstance(answer, cheatarena.Play):
        return Play(bytes(sorted(map(int, answer.cards))), answer.claimed, int(answer.rank))
    return CHEAT.read_action(str(answer))
