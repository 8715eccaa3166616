"""The sentences with which a submitted bot is refused after its check or its trial games.

Whole steps, with boxes, run in `tests/e2e/test_submissions.py`.
"""

from collections import Counter
from types import SimpleNamespace

import pytest

from arena.author.check.findings import Finding, Rule
from arena.author.check.step import StepResult, Verdict
from arena.author.check.steps import STEPS
from arena.cli.check.run import CheckRun
from arena.cli.exit_codes import ExitCode
from arena.cli.match.recorded_play import FirstFault, RecordedPlay
from arena.cli.match.standings import EntrantTotals, FaultLimit
from arena.cli.step_process import check_bot, play_trial_games, work
from arena.errors import BotStartError, CrowdedHostError, OptionError
from arena.fleet.submissions.run_steps import StepRequest
from arena.fleet.submissions.step import StepReport
from arena.match.referee.ports import MatchId


@pytest.fixture
def check(tmp_path) -> StepRequest:
    """The request to check a bot."""
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "bot.py").write_text("pass")
    (tmp_path / "built" / "bot.toml").write_text('name = "x"\nversion = "1"\n')
    return StepRequest(str(tmp_path / "built"), str(tmp_path), check_steps=("standard", "folk"))


@pytest.fixture
def trial(check) -> StepRequest:
    """The request to play with it."""
    return StepRequest(check.built, check.folder, game="cheat", sample="sample:honest", game_count=2)


def let_check(monkeypatch, *results: StepResult, error: Exception | None = None) -> None:
    """Let the next check have these results, and then raise an error."""

    async def run(self: CheckRun, *_: object) -> int:
        self.results.extend(results)
        if error is not None:
            raise error
        return 0

    monkeypatch.setattr(CheckRun, "_run_steps", run)


def let_play(monkeypatch, code: ExitCode, play: RecordedPlay, *standings: EntrantTotals) -> None:
    """Let the next match end with an exit code and these totals."""
    result = SimpleNamespace(limit=FaultLimit(), standings=standings, play=play)
    run = SimpleNamespace(run=lambda: code, result=result)
    monkeypatch.setattr("arena.cli.step_process.choose_run", lambda *_: run)


@pytest.mark.parametrize("verdict", [Verdict.FAILED, Verdict.NOT_REACHED])
def test_refusal_names_the_step_of_the_check_and_why(check, monkeypatch, verdict):
    finding = Finding(Rule.PONG, "prompt 7 was answered with no_answer")
    failed = StepResult(
        STEPS[0],
        verdict,
        findings=(finding, finding) if verdict is Verdict.FAILED else (),
        note="" if verdict is Verdict.FAILED else "prompt 7 was answered with no_answer",
    )
    let_check(monkeypatch, StepResult(STEPS[1], Verdict.PASSED), failed)

    report = check_bot(check)

    assert not report.is_passed
    assert report.sentence.endswith(": in step standard, prompt 7 was answered with no_answer")


def test_check_that_passes_says_so(check, monkeypatch):
    let_check(monkeypatch, *(StepResult(step, Verdict.PASSED) for step in STEPS[:2]))

    assert check_bot(check) == StepReport("it follows the protocol")


def test_refusal_after_trial_games_tells_the_first_fault(trial, monkeypatch):
    first = FirstFault(
        MatchId("match"), 1, 12, "said that it has no answer: turn() raised RuntimeError: boom (bot.py:4) " * 3
    )
    totals = EntrantTotals("x", counts=Counter(decisions=9), strikes=Counter(crashed=3))
    let_play(monkeypatch, ExitCode.BOT_FAILED, RecordedPlay(first_faults={"x": first}), totals)

    report = play_trial_games(trial)

    assert report is not None
    assert not report.is_passed
    assert report.sentence.startswith(
        "it has too many faults in the trial games of cheat: the first, in game 1 at turn 12: it said that it has no"
    )
    assert report.sentence.count("boom (bot.py:4)") == 3


def test_trial_games_on_a_busy_machine_say_nothing_about_the_bot(trial, monkeypatch):
    let_play(monkeypatch, ExitCode.UNSTEADY, RecordedPlay())

    assert play_trial_games(trial) is None


def test_refusal_of_a_bot_that_does_not_start_says_why(check, monkeypatch):
    let_check(monkeypatch, error=BotStartError("x did not connect within 10 s"))

    assert check_bot(check).sentence == "it cannot be started: x did not connect within 10 s"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            OptionError("memory_mb", 9, "at most 8"),
            "the check ended with exit code 64: option memory_mb = 9 is refused: at most 8",
        ),
        (LookupError("lost"), "the check ended with exit code 70: the log says why"),
    ],
)
def test_any_other_error_refuses_the_bot_with_the_exit_code_of_a_command(check, monkeypatch, capsys, error, sentence):
    let_check(monkeypatch, error=error)

    report = work(check)

    assert report is not None
    assert (report.is_passed, report.sentence) == (False, sentence)
    assert str(error) in capsys.readouterr().err


def test_fault_of_the_machine_says_nothing_about_the_bot(check, monkeypatch):
    let_check(monkeypatch, error=CrowdedHostError("no memory"))

    assert work(check) is None


def test_reason_is_one_short_line_without_the_folder_of_the_step(check):
    report = check.refuse("it fails", f"{check.folder}/bots/x.log\nis \x1b[31mred " + 100 * "word ")

    assert report.sentence.startswith("it fails: bots/x.log is ")
    assert report.sentence.endswith(" word …")
    assert "\x1b" not in report.sentence
    assert len(report.sentence) < 450
