"""Runs a comparison for the command line: opens it, plays it and reports the outcome."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.cli.compare.options import CompareSetup
from arena.cli.compare.output_files import OutputFiles
from arena.cli.compare.progress import show_progress
from arena.cli.compare.replay_files import render_replays
from arena.cli.compare.request import CompareRequest
from arena.cli.compare.text import (
    EXIT_CODES,
    figure_lines,
    finding_as_dict,
    loss_lines,
    play_lines,
    plays_as_dict,
    sentence_of,
)
from arena.cli.console import discard_status, keep_verdict, print_json, print_status, stdout_console
from arena.cli.exit_codes import ExitCode
from arena.compare.comparison_result import ComparisonResult, ResultCode
from arena.compare.lanes import CANDIDATE
from arena.config.read_config import read_config
from arena.errors import BotStartError
from arena.games.catalogue import games
from arena.hosting.compare.comparison import (
    COMPARISON_POLICY,
    ComparisonRequest,
    OpenComparison,
    default_node_count,
    open_comparison,
    remove_lane_folders,
)
from arena.hosting.compare.comparison_run import ComparisonRun, build_role_plays, last_candidate_error
from arena.hosting.play.open_league import build_dispatcher, check_data_folder, reveal_left_deals
from arena.launch.programs import BotProgram
from arena.launch.sandbox_note import SANDBOX_START_NOTE
from arena.replays.library import Library
from arena.report.play_view import BotPlay
from arena.runner.bot_entrant import BotEntrant
from arena.runner.match_bots import build_programs
from arena.runner.runner import Runner, open_runner
from arena.store.open_store import Store
from arena.telemetry import set_up_logging


@dataclass(frozen=True, slots=True)
class ComparisonOutcome:
    """The outcome of a comparison, with what is reported beside it."""

    finding: ComparisonResult
    error: str = ""
    """The last error that the candidate logged, if it has faults."""
    plays: Sequence[BotPlay] = ()
    """How candidate and baseline bluff and call."""
    replays: Mapping[str, str] = field(default_factory=dict)
    """Narrations of the most costly games by file name, if requested."""


class CompareRun:
    """One run of a comparison."""

    def __init__(self, request: CompareRequest, setup: CompareSetup, files: OutputFiles) -> None:
        self._request = request
        self._setup = setup
        self._files = files
        self._comparison: OpenComparison | None = None

    async def play(self) -> ExitCode:
        """Play until there is an outcome, report it and return the exit code."""
        try:
            outcome = await self._run_to_outcome()
        except BotStartError as error:
            self._files.prepare()
            outcome = ComparisonOutcome(
                ComparisonResult(ResultCode.NOT_STARTED, games=0, seconds=0.0, reason=str(error))
            )
        return self._report_outcome(outcome)

    def interruption_message(self) -> str:
        """Return the text for an interruption: what was kept, and how to continue."""
        if self._comparison is None:
            return "nothing had begun"
        games = self._comparison.league.ledger.game_count
        return f"{games} games are over and kept; the same command goes on with them"

    async def _run_to_outcome(self) -> ComparisonOutcome:
        """Play and collect the outcome. Raises BotStartError if a program is missing or cannot be built."""
        request = self._request.to_comparison()
        config = read_config(flags={"data": self._setup.data})
        set_up_logging(config.log_level if "ARENA_LOG_LEVEL" in os.environ else "error")
        check_data_folder(request.programs, config.data)
        async with open_runner(config.data, self._setup.nodes or default_node_count()) as runner:
            self._files.prepare()
            programs = await self._build_programs(request, config.data)
            max_games = self._request.max_games
            self._comparison = comparison = await open_comparison(request, programs, runner.store, max_games)
            run = self._build_comparison_run(comparison, runner)
            finding = await self._play_blocks(run, comparison, runner)
            await reveal_left_deals(comparison.league, runner.store, runner.signer)  # of blocks that have just ended
            outcome = await _collect_outcome(finding, comparison, runner.store)
            if self._files.replays is not None:
                library = Library(runner.store.folder, runner.store, games())
                outcome = replace(
                    outcome, replays=await render_replays(finding.losses, comparison.lanes.roles, library)
                )
            await run.close(finding)
            remove_lane_folders(comparison)
        return outcome

    async def _build_programs(self, request: ComparisonRequest, data: Path) -> Mapping[str, BotProgram]:
        """Build each program once, before it is copied to the lanes. Raises BotStartError."""
        built: dict[int, BotProgram] = {}
        for role, program in sorted(
            request.programs.items(), key=lambda item: item[0] == CANDIDATE
        ):  # the candidate last
            if id(program) not in built:
                built[id(program)] = await self._build_program(role, program, data / "bots")
        return {role: built[id(program)] for role, program in request.programs.items()}

    async def _build_program(self, role: str, program: BotProgram, outputs: Path) -> BotProgram:
        try:
            await build_programs(
                outputs, [BotEntrant(role, program)], discard_status if self._setup.json else print_status
            )
        except BotStartError as error:
            raise BotStartError(f"{role}: {error}") from error
        return replace(program, build=())

    def _build_comparison_run(self, comparison: OpenComparison, runner: Runner) -> ComparisonRun:
        processes = len(comparison.lanes.roles) * len(runner.nodes)
        dispatcher = build_dispatcher(comparison.league, runner, processes, COMPARISON_POLICY)
        return ComparisonRun(comparison, dispatcher, runner.store, self._request.limits)

    async def _play_blocks(self, run: ComparisonRun, comparison: OpenComparison, runner: Runner) -> ComparisonResult:
        report = discard_status if self._setup.json else print_status
        league, question = comparison.league, comparison.request.question
        if league.ledger.game_count:
            report(f"going on with a comparison of which {league.ledger.game_count} games are over")
        await reveal_left_deals(league, runner.store, runner.signer)
        processes = len(comparison.lanes.roles) * len(runner.nodes)
        report(f"{processes} bot processes start, each in a lane of its own; {SANDBOX_START_NOTE}")
        with show_progress(question, comparison.lanes, self._setup.json) as show_state:
            return await run.play(show_state)

    def _report_outcome(self, outcome: ComparisonOutcome) -> ExitCode:
        finding, figures = outcome.finding, self._figure_lines(outcome)
        code, on_undecided = EXIT_CODES[finding.code], self._request.options.test.on_undecided
        if finding.code is ResultCode.UNDECIDED and finding.evidence is not None and on_undecided == "pass":
            code = ExitCode.YES
        try:
            self._files.write(finding, figures, code, time.time(), outcome.replays)
        finally:
            with keep_verdict():
                self._show(outcome, figures, code)
        return code

    def _figure_lines(self, outcome: ComparisonOutcome) -> Sequence[str]:
        """Return the lines below the sentence."""
        data = read_config(flags={"data": self._setup.data}).data
        return [
            *figure_lines(outcome.finding, self._request.question),
            *loss_lines(outcome.finding, data, self._files.replays),
            *([f"error       {outcome.error}"] if outcome.error else ()),
            *play_lines(outcome.plays),
        ]

    def _show(self, outcome: ComparisonOutcome, figures: Sequence[str], code: ExitCode) -> None:
        if self._setup.json:
            values = finding_as_dict(outcome.finding, self._request.question, code)
            print_json({**values, "error_logged": outcome.error, "plays": plays_as_dict(outcome.plays)})
            return
        for line in (sentence_of(outcome.finding), *figures):
            stdout_console().print(line, soft_wrap=True)


async def _collect_outcome(finding: ComparisonResult, comparison: OpenComparison, store: Store) -> ComparisonOutcome:
    error = last_candidate_error(comparison, store.folder) if finding.candidate.fault_count else ""
    return ComparisonOutcome(finding, error, await build_role_plays(comparison) if finding.games else ())
