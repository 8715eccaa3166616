"""`arena replay lessons`: whose decisions, which games, what a user gets to see, and what bad input says."""

import re
import shlex
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from arena.cli.match.replay_hint import lessons_command
from arena.errors import RequestError
from arena.games.catalogue import lesson_model_of
from arena.games.cheater.rules.game import CHEATER
from arena.replays.lessons import search
from arena.replays.lessons.search import SearchPlan
from tests.match.referee.driver import make_driver
from tests.support.commands import run_arena
from tests.support.recorded_matches import DataFolder, ManualMatch

OLD, NEW = "01JZ0000000000000000000AGE", "01K00000000000000000000NEW"
JOURNAL = "01HZ0000000000000000000NDE"


@pytest.fixture
def folder(tmp_path):
    return DataFolder(tmp_path / "data")


@pytest.fixture
def lessons(capsys, folder, monkeypatch):
    """Run the command on the folder, with few playouts; with `measured_turns=0` nothing can be clear."""

    def run(*arguments, code=ExitCode.YES, **numbers):
        plan = partial(SearchPlan, **{"screening_deals": 2, "measured_turns": 600} | numbers)
        monkeypatch.setattr(search, "SearchPlan", plan)
        ended = run_arena(capsys, "replay", "lessons", *arguments, "--data", folder.path)
        assert ended.code == code, ended.err
        return ended

    return run


def play_match(match_id, **settings):
    """Play a short match of three seats: seat 0 lays an ace, seat 1 declines, seat 2 calls without success."""
    match = ManualMatch(match_id, **settings)
    match.answer(0, "1A AC", at=12_000)
    match.answer(1, "decline", at=20_000)
    match.answer(2, "call", at=25_000)
    return match.play_out()


@pytest.fixture
def stored(folder):
    """Two stored matches, in which the entrants have the places 1, 1 and 3."""
    matches = play_match(OLD, number=1), play_match(NEW, number=2)
    folder.write_journal(JOURNAL, *matches)
    folder.store_matches(JOURNAL, *matches)
    return folder


def test_report_says_what_the_seat_knew_did_and_was_measured(lessons, stored):
    report = lessons(NEW, "--entrant", "Cid", "--json").json

    assert [(each["match_id"], each["entrant"], each["game"], each["place"]) for each in report] == [(NEW, "Cid", 0, 3)]
    found = report[0]["lessons"] + report[0]["not_clear"]
    assert {"turn", "prompt", "cost", "standard_error", "did", "better", "knew", "words"} <= found[0].keys()


def test_same_seed_gives_the_same_report(lessons, stored):
    first, again = (lessons(NEW, "--entrant", "Cid", "--json", "--seed", 7).out for _ in range(2))

    assert first == again


def test_no_lesson_is_a_valid_report(lessons, stored):
    said = lessons(NEW, "--entrant", "Bob", measured_turns=0)

    assert "no lesson stands out" in said.out


def test_no_test_is_written_without_a_lesson(lessons, stored, tmp_path):
    said = lessons(NEW, "--entrant", "Bob", "--as-test", tmp_path / "test_it.py", code=ExitCode.NO, measured_turns=0)

    assert said.last_line == "no lesson stands out, so no test was written"
    assert not (tmp_path / "test_it.py").exists()


def test_lost_games_are_looked_at_newest_first_and_bounded(lessons, stored):
    both = lessons("--lost", "--entrant", "Cid", "--json").json
    one = lessons("--lost", "--entrant", "Cid", "--games", 1, "--json")

    assert [each["match_id"] for each in both] == [NEW, OLD]
    assert [each["match_id"] for each in one.json] == [NEW]
    assert "Cid has lost 2 games; these are the newest 1" in one.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((NEW,), "say whose decisions: --entrant NAME"),
        (("--entrant", "Cid"), "say which games: either the ID of a match, or --lost for the newest lost games"),
        ((NEW, "--lost", "--entrant", "Cid"), "say which games"),
        (("--lost", "--entrant", "Cid", "--game", 0), "--game needs the ID of a match, and --lost chooses the games"),
        (("--lost", "--entrant", "Dan"), "no match of this data folder has a game that 'Dan' lost"),
        (("--lost", "--entrant", "Ann"), "no match of this data folder has a game that 'Ann' lost"),
        ((NEW, "--entrant", "Dan"), "known: Ann, Bob, Cid"),
        ((NEW, "--entrant", "Cid", "--game", 1), f"match {NEW} has no game 1: its games are 0 to 0"),
        (("01ZZ", "--entrant", "Cid"), "01ZZ"),
        ((NEW, "--entrant", "Cid", "--server", "arena.example:443"), "arena replay lessons needs the data folder"),
    ],
)
def test_bad_input_gets_one_sentence(lessons, stored, arguments, sentence):
    said = lessons(*arguments, code=ExitCode.USAGE)

    assert sentence in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"style": "live"}, "there are no lessons for the live pace"),
        ({"options": {"sizes_visible": False, "max_turns": 5}}, "rules that hide the sizes of hands"),
    ],
)
def test_matches_without_lessons_are_refused(lessons, folder, settings, sentence):
    folder.write_journal(JOURNAL, ManualMatch(NEW, **settings).play_out())

    said = lessons(NEW, "--entrant", "Cid", code=ExitCode.USAGE)

    assert sentence in said.err


# ---- the hint of other commands


@pytest.mark.slow
def test_hint_is_the_command_that_works(capsys, lessons, stored):
    terms = ManualMatch(NEW).bench.terms

    for choice in (("--entrant", "Bob"), ("--seat", 1)):
        words = shlex.split(lessons_command(terms, NEW, stored.path, *choice))
        assert run_arena(capsys, *words[words.index("replay") :]).code == ExitCode.YES


def test_no_hint_where_there_are_no_lessons():
    assert lessons_command(ManualMatch(NEW, style="live").bench.terms, NEW, Path("data")) == ""
    assert lessons_command(make_driver(CHEATER, 3).terms, NEW, Path("data")) == ""


def test_game_without_lessons_is_refused_with_a_sentence():
    with pytest.raises(RequestError, match="there are no lessons for cheater"):
        lesson_model_of("cheater")


# ---- names, commands and the choice of a lesson


@pytest.fixture
def two_lessons(monkeypatch):
    """Let the search find two lessons, whatever the playouts say: the first two decisions that were measured."""
    found = search.find_lessons

    def find(*arguments):
        result = found(*arguments)
        measured = [*result.lessons, *result.others]
        for cost, lesson in zip((0.9, 0.4), measured, strict=False):
            lesson.differences = [cost] * 100
        return replace(result, lessons=measured[:2], others=measured[2:])

    monkeypatch.setattr(search, "find_lessons", find)


@pytest.fixture
def lost_game(folder):
    """A stored match in which Cid has two decisions that can be measured."""
    match = ManualMatch(NEW)
    match.answer(0, "2A ACAS", at=12_000)
    match.answer(1, "decline", at=20_000)
    match.answer(2, "decline", at=25_000)
    match.answer(1, "2A 2C2S", at=40_000)
    match.answer(0, "decline", at=50_000)
    match.answer(2, "decline", at=60_000)
    match.play_out()
    folder.write_journal(JOURNAL, match)
    folder.store_matches(JOURNAL, match)
    return folder


def test_lessons_name_players_and_have_numbers(lessons, lost_game, two_lessons):
    out = lessons(NEW, "--entrant", "Cid").out

    assert re.findall(r"^lesson (\d): turn \d+, .*: cost 0.\d0 ± 0.01 places$", out, re.MULTILINE) == ["1", "2"]
    assert "game 0 of match" in out
    assert "Cid, place" in out
    assert re.search(r"sizes +Ann: \d+, Bob: \d+, Cid: \d+ \(own\)", out)
    assert not re.search(r"\bseats? \d", out)


def test_each_lesson_has_the_command_that_shows_its_moment(capsys, lessons, lost_game, two_lessons):
    out = lessons(NEW, "--entrant", "Cid").out
    turns = re.findall(r"^lesson \d: turn (\d+),", out, re.MULTILINE)
    commands = re.findall(r"^  show +(.*)$", out, re.MULTILINE)

    assert len(commands) == 2
    for turn, command in zip(turns, commands, strict=True):
        words = shlex.split(command)
        shown = run_arena(capsys, *words[words.index("replay") :])
        assert shown.code == ExitCode.YES, shown.err
        assert re.findall(r"^ +(\d+) +\d+\.\d{3} ", shown.out, re.MULTILINE) == [turn]


def test_bot_with_a_file_here_gets_the_command_for_the_debugger(lessons, lost_game, two_lessons, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    without = lessons(NEW, "--entrant", "Cid").out
    (tmp_path / "Cid.py").touch()
    out = lessons(NEW, "--entrant", "Cid").out
    turn = re.findall(r"^lesson 1: turn (\d+),", out, re.MULTILINE)[0]

    assert "replay rerun" not in without
    assert f"arena replay rerun {NEW} --entrant Cid --bot Cid.py --game 0 --at {turn} --data " in out


@pytest.mark.parametrize(("choice", "number"), [((), 1), (("--lesson", 1), 1), (("--lesson", 2), 2)])
def test_any_lesson_can_be_written_as_a_test(lessons, lost_game, two_lessons, tmp_path, choice, number):
    to = tmp_path / "test_it.py"
    said = lessons(NEW, "--entrant", "Cid", "--as-test", to, *choice)
    turn = re.findall(rf"^lesson {number}: turn (\d+),", said.out, re.MULTILINE)[0]

    assert f"{to}: lesson {number}, game 0, turn {turn}; run it with " in said.err
    assert f"def test_game_0_turn_{turn}_" in to.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "verdict"),
    [
        ("def call_window(self, table, claim): return Decline()", "it fails now, as it should"),
        ("def call_window(self, table, claim): return Call()", "it passes already"),
        ("def call_window(self, table", "it cannot be run yet; pytest says why"),
    ],
)
def test_a_written_test_is_tried_once(lessons, lost_game, two_lessons, tmp_path, bot, verdict):
    """A bot that draws at random may decide otherwise in the test. Its author would take that for a mended bot."""
    turn = "def turn(self, table, options): return options.smallest_lie()"
    code = f"from cheatarena import Bot, Call, Decline\n\nclass Cid(Bot):\n    {turn}\n    {bot}\n"
    (tmp_path / "Cid.py").write_text(code)

    said = lessons(NEW, "--entrant", "Cid", "--as-test", tmp_path / "test_it.py", "--lesson", 2)

    assert verdict in said.err


@pytest.mark.slow
def test_command_of_the_hint_runs_the_test(lessons, lost_game, two_lessons, tmp_path):
    """The bot is not there, so the test fails. But the command finds Python, pytest and the test."""
    said = lessons(NEW, "--entrant", "Cid", "--as-test", tmp_path / "test_it.py")
    command = re.search(r"run it with (.*)", said.err)
    assert command is not None

    ended = subprocess.run(shlex.split(command[1]), capture_output=True, text=True, check=False, cwd=tmp_path)

    assert ended.returncode == 2, ended.stderr
    assert "Cid.py" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--lesson", 2), "--lesson says which lesson becomes a test: it needs --as-test FILE"),
        (("--lesson", 3, "--as-test", "test_it.py"), "there is no lesson 3: only 2 lessons stood out"),
    ],
)
def test_lesson_that_cannot_be_written_gets_one_sentence(lessons, lost_game, two_lessons, arguments, sentence):
    said = lessons(NEW, "--entrant", "Cid", *arguments, code=ExitCode.USAGE)

    assert said.last_line == f"arena: {sentence}"


def test_report_says_what_was_examined(lessons, lost_game):
    whole = lessons(NEW, "--entrant", "Cid").out
    few = lessons(NEW, "--entrant", "Cid", screening_turns=1).out

    assert re.search(r"\d+ decisions with an alternative: each tried in short playouts, and the \d+ that looked", whole)
    assert "with an alternative: the 1 with most at stake tried in short playouts" in few
    assert re.search(r"a costly one among the other \d+ decisions would not be found", " ".join(few.split()))
