"""The process that checks a submitted bot or plays trial games with it, for the process of submitted bots.

    python -m arena.cli.step_process REQUEST

REQUEST is a `StepRequest` as JSON. What `arena check` and `arena match` print is the log of the step.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from arena.author.check.step import StepResult, Verdict
from arena.cli.bot_argument import find_program
from arena.cli.check.run import CheckRun
from arena.cli.console import prepare_streams, settle_streams
from arena.cli.exit_codes import ExitCode
from arena.cli.main import report_error
from arena.cli.match.options import GamesOptions, MatchRequest, MatchSetup
from arena.cli.match.order import build_order, find_players
from arena.cli.match.result import MatchResult
from arena.cli.match.run import choose_run
from arena.cli.match.standings import FaultLimit
from arena.cli.options import RulesOptions
from arena.errors import ArenaError, BotFailureError
from arena.fleet.submissions.run_steps import StepRequest, answer_step
from arena.fleet.submissions.step import StepReport

_TRIAL_SEATS: Final = 3


def check_bot(request: StepRequest) -> StepReport:
    """Check a bot in a box as `arena check` does. Raises RequestError and EnvironmentFaultError."""
    run = CheckRun(request.bot, request.check_steps, None, Path(request.folder), is_untrusted=True, is_json=False)
    try:
        code = run.play()
    except BotFailureError as error:
        report_error(error, ())
        return request.refuse("it cannot be started", _find_faulty_step(run.results) or _first_line(error))
    if code == ExitCode.YES:
        return StepReport("it follows the protocol")
    verdict = "it fails the check" if code == ExitCode.NO else "it does not get far enough to be checked"
    return request.refuse(verdict, _find_faulty_step(run.results))


def play_trial_games(request: StepRequest) -> StepReport | None:
    """Play unrated games as `arena match` does, with the bot in a box; return None if the machine has failed.

    Raises RequestError and EnvironmentFaultError.
    """
    find = partial(find_program, data=Path(request.folder), is_untrusted=True)
    players = find_players([request.bot], request.sample, _TRIAL_SEATS, find)
    games = GamesOptions(games=request.game_count, unrated=True)
    order = build_order(MatchRequest(games, RulesOptions(request.game)), players)
    run = choose_run(players, order, MatchSetup(data=Path(request.folder)), FaultLimit())
    refuse = partial(request.refuse, f"it has too many faults in {request.work}")
    try:
        code = run.run()
    except BotFailureError as error:
        report_error(error, ())
        return refuse(_first_line(error))
    if code == ExitCode.BOT_FAILED:
        assert run.result is not None, "a run that ends has a result"
        return refuse(_find_first_fault(run.result))
    if code == ExitCode.UNSTEADY:
        return None
    return StepReport("it plays well") if code == ExitCode.YES else request.refuse_end(code)


def _find_faulty_step(results: Sequence["StepResult"]) -> str:
    """Return the first step of a check that was not passed, and what came; empty if there is none."""
    for result in results:
        if result.verdict in {Verdict.FAILED, Verdict.NOT_REACHED}:
            came, _, _ = (result.note or result.findings[0].came).partition("\n")
            return f"in step {result.step.name}, {came}"
    return ""


def _find_first_fault(result: MatchResult) -> str:
    """Return the first fault of the best bot that has too many; empty if it is unknown."""
    for standing in filter(result.limit.is_exceeded, result.standings):
        if (first := result.play.first_faults.get(standing.name)) is not None:
            return first.sentence
    return ""


def _first_line(error: ArenaError) -> str:
    return str(error).partition("\n")[0]


def work(request: StepRequest) -> StepReport | None:
    """Do what a request asks for. What it raises refuses the bot, unless it is a fault of this machine."""
    try:
        return play_trial_games(request) if request.game else check_bot(request)
    except Exception as error:  # noqa: BLE001  the outermost edge
        code = report_error(error, ())
        reason = _first_line(error) if isinstance(error, ArenaError) else ""
        return None if code == ExitCode.UNSTEADY else request.refuse_end(code, reason)


def main() -> None:
    prepare_streams()
    answer_step(work)
    settle_streams()


if __name__ == "__main__":
    main()
