"""`arena replay rerun`: a bot in the recorded place of another one, from the command line to its last process."""

import json
import os
import signal
import subprocess
import sys

import pytest

from arena.cli.exit_codes import ExitCode
from tests.match.referee.driver import MS, S
from tests.support.bots import write_bots
from tests.support.commands import is_alive, run_arena, start_command
from tests.support.recorded_matches import DataFolder, ManualMatch

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and process groups are otherwise there")

ID = "01K00000000000000000000NEW"
JOURNAL = "01HZ0000000000000000000NDE"
PATIENT = ("--turn-ms", 60_000, "--call-ms", 60_000)
"""Nobody is late on a busy machine."""


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    return write_bots(tmp_path_factory.mktemp("bots"))


@pytest.fixture
def rerun(capsys, bots, tmp_path):
    """Run the command on the folder of the test, with one of the bots."""

    def run(bot, *arguments, match=ID, code=ExitCode.YES):
        named = bots / bot if (bots / bot).is_dir() else bot
        ended = run_arena(capsys, "replay", "rerun", match, "--bot", named, *arguments, "--data", tmp_path)
        assert ended.code == code, ended.err
        return ended

    return run


@pytest.fixture
def opening(tmp_path):
    """By hand: an honest ace, one who declines, and a call that was wrong; then the records end."""
    match = ManualMatch(ID)
    match.answer(0, "1A AC", at=12 * MS)
    match.answer(1, "decline", at=20 * MS)
    match.answer(2, "call", at=25 * MS)
    DataFolder(tmp_path).write_journal(JOURNAL, match)


def play_match(capsys, folder, *arguments):
    """Play a match and give its id."""
    ended = run_arena(capsys, "match", *arguments, "--data", folder, "--json")
    assert ended.code == ExitCode.YES, ended.err
    return ended.json["match_id"]


# ---- the same bot


@pytest.mark.slow
def test_same_bot_answers_the_same_in_every_game(capsys, rerun, bots, tmp_path):
    match = play_match(
        capsys, tmp_path, "--bot", bots / "honest", "--bot", bots / "doubter", "--games", 3, "--seed", 1,
        "--set", "max_turns=80", *PATIENT
    )  # fmt: skip

    told = rerun("doubter", "--entrant", "doubter", "--json", match=match).json

    assert told["differ"] == told["illegal"] == 0
    assert {(each["game"], each["seat"]) for each in told["asked"]} == {(0, 1), (1, 0), (2, 1)}
    assert all(each["recorded"] == each["now"] for each in told["asked"])


@pytest.mark.slow
def test_same_bot_answers_the_same_in_live_pace(capsys, rerun, bots, tmp_path):
    """The recorded times are gone: it says at once what it said early, held or in a window."""
    match = play_match(
        capsys, tmp_path, "--bot", bots / "honest", "--bot", bots / "doubter", "--seed", 1, "--pace", "live",
        "--call-ms", 2_000, "--min-call-ms", 300, "--set", "max_turns=4",
    )  # fmt: skip

    told = rerun("doubter", "--entrant", "doubter", "--json", match=match).json

    assert told["differ"] == 0
    assert {each["prompt"] for each in told["asked"]} == {"turn", "window"}


@pytest.mark.slow
def test_cheater_can_be_rerun_too(capsys, rerun, tmp_path):
    match = play_match(
        capsys, tmp_path, "--bot", "sample:denier", "--bot", "sample:cautious", "--preset", "cheater", *PATIENT
    )

    assert rerun("sample:denier", "--entrant", "denier", match=match).out.endswith(" questions, 0 differ\n")
    other = rerun("sample:cautious", "--entrant", "denier", "--json", match=match, code=ExitCode.NO).json
    assert other["differ"] > 0


@pytest.mark.slow
def test_bot_draws_its_recorded_random_numbers(capsys, rerun, tmp_path):
    """Its own random numbers come from the seed that it received."""
    match = play_match(capsys, tmp_path, "--bot", "sample:random_legal", "--bot", "sample:honest", *PATIENT)

    assert rerun("sample:random_legal", "--entrant", "random_legal", "--json", match=match).json["differ"] == 0


# ---- another bot


def test_differences_are_shown_in_table_language(rerun, opening):
    out = rerun("honest", "--entrant", "Ann", code=ExitCode.NO).out

    assert out.splitlines()[3:] == [
        "game 0, turn 0: seat 0 is asked (turn): 1 to 6 cards as any rank; a trick starts",
        "                recorded   claims 1 x A with AC",
        "                now        claims 2 x A with AC AS",
        "",
        "1 question, 1 differs",
    ]


def test_divergent_answer_changes_nothing_in_the_match(rerun, opening):
    """Seat 2 declines now; the recorded call still happens, and seat 2 gets no other prompt."""
    told = rerun("honest", "--seat", 2, "--json", code=ExitCode.NO).json

    (window,) = told["asked"]
    assert (window["recorded"], window["now"], window["differs"]) == ("call", "decline", True)
    assert window["words"] == {"recorded": "calls", "now": "declines"}


def test_nothing_is_compared_where_records_end(rerun, opening):
    """Seat 1 declined as the bot does; its turn came, and then the server was killed."""
    ended = rerun("honest", "--entrant", "Bob")

    last = ended.out.splitlines()[-1]
    assert last == "2 questions, 0 differ; 1 not compared, because the record shows no choice"


def test_missed_prompt_is_not_an_answer(rerun, tmp_path):
    match = ManualMatch(ID)
    match.bench.run_until(3 * S)
    DataFolder(tmp_path).write_journal(JOURNAL, match)

    (turn,) = rerun("honest", "--entrant", "Ann", "--json", code=ExitCode.NO).json["asked"]
    out = rerun("honest", "--entrant", "Bob", code=ExitCode.NO).out

    assert (turn["fate"], turn["recorded"], turn["automatic"]) == ("missed", None, "1A AC")
    assert turn["words"]["recorded"] == "no answer; the automatic move was made: it claims 1 x A with AC"
    assert "                recorded   no answer\n                now        declines" in out


@pytest.mark.slow
def test_illegal_answer_is_listed_with_reason_and_may_be_corrected(rerun, opening):
    shown = rerun("stubborn", "--entrant", "Ann").out
    (turn,) = rerun("stubborn", "--entrant", "Ann", "--json").json["asked"]

    assert "illegal    claims 7 x A with AC AS 2H 3D 4C 4S 5H: that number of cards may not be" in shown
    assert shown.splitlines()[-1] == "1 question, 0 differ; 1 illegal answer"
    assert turn["illegal"] == [{"action": "7A ACAS2H3D4C4S5H", "reason": "illegal_count"}]
    assert turn["now"] == "1A AC"


def test_silent_bot_is_awaited_no_longer_than_requested(rerun, tmp_path):
    """It answers windows and never takes a turn."""
    match = ManualMatch(ID)
    match.answer(0, "1A AC", at=12 * MS)
    for entrant in (1, 2):
        match.answer(entrant, "decline", at=20 * MS)
    match.answer(1, "1A AD", at=30 * MS)
    DataFolder(tmp_path).write_journal(JOURNAL, match)

    told = rerun("dreamer", "--entrant", "Bob", "--patience", 0.3, "--json", code=ExitCode.NO).json

    assert [(each["prompt"], each["now"]) for each in told["asked"]] == [("window", "decline"), ("turn", None)]


def test_departed_seat_gets_prompts_until_its_departure(rerun, tmp_path):
    match = ManualMatch(ID, games=2)
    match.answer(0, "1A AC", at=12 * MS)
    match.bench.leave(0, at=15 * MS)
    match.play_out()
    DataFolder(tmp_path).write_journal(JOURNAL, match)

    (turn,) = rerun("honest", "--entrant", "Ann", "--json", code=ExitCode.NO).json["asked"]

    assert turn["recorded"] == "1A AC"


# ---- one turn


@pytest.mark.slow
def test_rerun_stops_at_the_requested_turn(rerun, tmp_path):
    """Every prompt there is shown, including those without a difference."""
    match = ManualMatch(ID).play_out()
    DataFolder(tmp_path).write_journal(JOURNAL, match)

    told = rerun("honest", "--entrant", "Ann", "--at", 0, "--json", code=ExitCode.NO).json
    window = rerun("honest", "--entrant", "Bob", "--at", 0, "--game", 0).out
    own = rerun("honest", "--entrant", "Bob", "--at", 1, "--game", 0, code=ExitCode.NO).out

    assert [(each["turn"], each["prompt"]) for each in told["asked"]] == [(0, "turn")]
    assert window.count("game 0, turn 0: seat 1 is asked (window)") == 1, "it is about the move of turn 0"
    assert own.count("game 0, turn 1: seat 1 is asked (turn)") == 1
    sentence = "Ann was asked nothing at turn 1000 in game 0, but at turns "
    assert sentence in rerun("honest", "--entrant", "Ann", "--at", 1000, code=ExitCode.USAGE).last_line


# ---- what cannot be


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("01K1", "--entrant", "Ann", "--bot", "sample:honest"), "unknown match '01K1'"),
        ((ID, "--entrant", "Zoe", "--bot", "sample:honest"), "unknown entrant 'Zoe'; known: Ann, Bob, Cid"),
        ((ID, "--seat", 3, "--bot", "sample:honest"), f"match {ID} has no seat 3: its seats are 0 to 2"),
        ((ID, "--bot", "sample:honest"), "choose the seat that the bot takes: --entrant NAME or --seat K"),
        ((ID, "--entrant", "Ann", "--bot", "sample:nobody"), "unknown sample bot 'nobody'; known: "),
        ((ID, "--entrant", "Ann", "--bot", "nosuchbot"), "there is no bot 'nosuchbot': expected a script, "),
        ((ID, "--entrant", "Ann", "--bot", "sample:denier"), "bot 'Ann' does not play cheat/standard"),
    ],
)
def test_impossible_request_is_one_line(capsys, opening, tmp_path, arguments, sentence):
    ended = run_arena(capsys, "replay", "rerun", *arguments, "--data", tmp_path)

    assert ended.code == ExitCode.USAGE
    assert len(ended.err.strip().splitlines()) == 1
    assert ended.last_line.startswith(f"arena: {sentence}")


@pytest.mark.parametrize(
    ("bot", "first", "last"),
    [
        ("dier", "arena: Ann ended with exit code 7; its output is in ", "  I had enough"),
        ("broken", "arena: Ann ended with exit code 5; its output is in ", "  about to fail"),
        ("mute", "arena: Ann did not connect within 0.5 s; its output is in ", "  thinking about it"),
    ],
)
def test_exiting_bot_is_named_with_its_last_lines(rerun, opening, bot, first, last):
    ended = rerun(bot, "--entrant", "Ann", code=ExitCode.BOT_FAILED)

    lines = ended.err.strip("\n").splitlines()
    assert lines[0].startswith(first)
    assert lines[-1] == last


def test_completely_silent_bot_has_failed(rerun, opening):
    ended = rerun("thinker", "--entrant", "Ann", "--patience", 0.3, code=ExitCode.BOT_FAILED)

    assert "arena: Ann has answered none of 1 question" in ended.err


@pytest.mark.slow
def test_remote_bot_can_be_rerun(bots, opening, tmp_path):
    """As under a debugger: it is started by hand with the printed lines."""
    asked = ("replay", "rerun", ID, "--entrant", "Ann", "--bot", "remote:mine", "--data", tmp_path, "--json")
    with start_command(*asked) as command:
        command.wait_for_line("export CHEATARENA_INSTANCE")
        lines = [line.removeprefix("export ").strip() for line in command.err if line.startswith("export ")]
        environment = os.environ | dict(line.split("=", 1) for line in lines)
        with subprocess.Popen([sys.executable, bots / "honest" / "bot.py"], env=environment) as bot:
            try:
                assert command.wait_for_exit() == ExitCode.NO
            finally:
                bot.terminate()
    assert json.loads(command.out[0])["differ"] == 1


@pytest.mark.slow
def test_ctrl_c_ends_all_processes(bots, opening, tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    asked = (
        "replay", "rerun", ID, "--entrant", "Ann", "--bot", bots / "thinker", "--data", tmp_path, "--show-output",
    )  # fmt: skip
    with start_command(*asked, environment={"TMPDIR": str(folder)}) as command:
        pid = int(command.wait_for_line("Ann: pid").split()[-1])
        assert list(folder.iterdir()) != []
        command.signal(signal.SIGINT)
        assert command.wait_for_exit() == ExitCode.INTERRUPTED
    assert command.err[-1] == "arena: stopped; the record is unchanged\n"
    assert not is_alive(pid)
    assert list(folder.iterdir()) == []
