"""One number for one turn: replays, reruns, lessons and the bot's own log agree, also about call windows."""

import logging
import re

import pytest

from arena.author.rerun.recorded_prompts import find_recorded_prompts
from arena.games.catalogue import games, phrasing_of
from arena.games.cheat.lessons.model import CHEAT_LESSONS
from arena.games.cheat.rules.game import CHEAT
from arena.match.game import Seat
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex
from arena.practice import play
from arena.replays.decisions.decision_table import decisions_of
from arena.replays.lessons.positions import read_game
from arena.replays.lessons.report import LessonReport
from arena.replays.lessons.search import SearchPlan, SearchResult
from arena.replays.narration.move_numbers import number_lines
from arena.replays.narration.seat_narration import narrate_seat
from cheatarena import Bot, Call, Decline

PHRASING = phrasing_of(CHEAT)


class Talking(Bot):
    """Logs each question with the id of its prompt, and calls what cannot be true."""

    def turn(self, table, options):
        table.log.warning("asked %d", table.question.id)
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        table.log.warning("asked %d", table.question.id)
        return Call() if table.is_impossible(claim) else Decline()


class Quiet(Talking):
    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Call() if table.is_impossible(claim) else Decline()


@pytest.fixture(params=[{}, {"passing": "pass_trick"}, {"any_caller": False}], ids=["standard", "passes", "one caller"])
def records(request, caplog):
    """The records of a game of three moves a seat or more; the log of seat 0 is in `caplog`."""
    caplog.set_level(logging.WARNING, "cheatarena.bot")
    return play([Talking, Quiet, Quiet], games=1, seed=5, options={"max_turns": 40, **request.param}).records


def logged_turns(caplog) -> dict[int, int]:
    """Return the turn that the bot's log names, by the id of the prompt."""
    texts = [record.getMessage() for record in caplog.get_records("setup")]
    found = [re.search(r"turn (\d+): asked (\d+)", text) for text in texts]
    return {int(each[2]): int(each[1]) for each in found if each is not None}


def test_bot_log_and_replay_name_the_same_turn(records, caplog):
    replay = Replay(records, games())
    lines = narrate_seat(replay, lambda _: Seat(0), PHRASING)
    shown = {line.data["prompt_id"]: turn for line, turn in number_lines(lines, PHRASING) if line.kind == "decision"}

    assert shown == logged_turns(caplog)
    assert len(shown) > 20


def test_rerun_lessons_and_table_of_decisions_name_the_same_turn(records, caplog):
    logged = logged_turns(caplog)
    game = read_game(records, games(), EntrantIndex(0), 0, CHEAT_LESSONS)
    report = LessonReport("M", "a", game, SearchResult([], [], 0, 0, 0), SearchPlan(), CHEAT_LESSONS, PHRASING)
    rows = [row for row in decisions_of(Replay(records, games()), "M", PHRASING) if row.seat == 0]

    assert {each.prompt_id: each.turn for each in find_recorded_prompts(records, games(), EntrantIndex(0))} == logged
    assert {each.prompt.id: report.turn_of(each) for each in game.positions} == logged
    assert [row.turn for row in rows] == [logged[each] for each in sorted(logged)]


def test_window_has_the_turn_of_the_move_that_it_judges(records):
    """The first move of the game is turn 0, and so is the window after it."""
    prompts = find_recorded_prompts(records, games(), EntrantIndex(0))
    windows = [each.turn for each in prompts if each.kind == "window"]
    turns = [each.turn for each in prompts if each.kind == "turn"]

    assert min(windows) <= 2
    assert not {*windows} & {*turns}, "nobody is asked about the own move"
