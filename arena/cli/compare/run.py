"""A comparison from the command line: opened, played, told."""

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
from arena.replays.library import Library
from arena.report.play_view import BotPlay
from arena.runner.bot_entrant import BotEntrant
from arena.runner.match_bots import build_programs
from arena.runner.runner import Runner, open_runner
from arena.store.open_store import Store
from arena.telemetry import set_up_logging


@dataclass(frozen=True, slots=True)
class ComparisonOutcome:
    """What came of it."""

    finding: ComparisonResult
    error: str = ""
    """What the candidate logged last, where it has faults."""
    plays: Sequence[BotPlay] = ()
    """How candidate and baseline bluff and call."""
    replays: Mapping[str, str] = field(default_factory=dict)
    """The most costly games by the name of a file, where they are wanted."""


class CompareRun:
    """One run of a comparison."""

    def __init__(self, request: CompareRequest, setup: CompareSetup, files: OutputFiles) -> None:
        self._request = request
        self._setup = setup
        self._files = files
        self._comparison: OpenComparison | None = None

    async def play(self) -> ExitCode:
        """Play until there is an answer, and tell it."""
        try:
            answer = await self._run_to_outcome()
        except BotStartError as error:
            self._files.prepare()
            answer = ComparisonOutcome(
                ComparisonResult(ResultCode.NOT_STARTED, games=0, seconds=0.0, reason=str(error))
            )
        return self._report_outcome(answer)

    def interruption_message(self) -> str:
        """What is left after an interruption, and how to go on."""
        if self._comparison is None:
            return "nothing had begun"
        games = self._comparison.league.ledger.game_count
        return f"{games} games are over and kept; the same command goes on with them"

    async def _run_to_outcome(self) -> ComparisonOutcome:
        """Raises BotStartError for a program that is not there or cannot be built."""
        asked = self._request.to_comparison()
        config = read_config(flags={"data": self._setup.data})
        set_up_logging(config.log_level if "ARENA_LOG_LEVEL" in os.environ else "error")
        check_data_folder(asked.programs, config.data)
        async with open_runner(config.data, self._setup.nodes or default_node_count()) as runner:
            self._files.prepare()
            programs = await self._build_programs(asked, config.data)
            max_games = self._request.max_games
            self._comparison = comparison = await open_comparison(asked, programs, runner.store, max_games)
            comparing = self._build_comparison_run(comparison, runner)
            finding = await self._play_blocks(comparing, comparison, runner)
            await reveal_left_deals(comparison.league, runner.store, runner.signer)  # of blocks that were just over
            answer = await _collect_outcome(finding, comparison, runner.store)
            if self._files.replays is not None:
                library = Library(runner.store.folder, runner.store, games())
                answer = replace(answer, replays=await render_replays(finding.losses, comparison.lanes.roles, library))
            await comparing.close(finding)
            remove_lane_folders(comparison)
        return answer

    async def _build_programs(self, asked: ComparisonRequest, data: Path) -> Mapping[str, BotProgram]:
        """Build each program that has to be, once, before it is copied. Raises BotStartError."""
        made: dict[int, BotProgram] = {}
        for role, program in sorted(asked.programs.items(), key=lambda item: item[0] == CANDIDATE):  # what is new last
            if id(program) not in made:
                made[id(program)] = await self._build_program(role, program, data / "bots")
        return {role: made[id(program)] for role, program in asked.programs.items()}

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

    async def _play_blocks(
        self, comparing: ComparisonRun, comparison: OpenComparison, runner: Runner
    ) -> ComparisonResult:
        tell = discard_status if self._setup.json else print_status
        league, question = comparison.league, comparison.request.question
        if league.ledger.game_count:
            tell(f"going on with a comparison of which {league.ledger.game_count} games are over")
        await reveal_left_deals(league, runner.store, runner.signer)
        processes = len(comparison.lanes.roles) * len(runner.nodes)
        tell(f"{processes} bot processes start, each a lane of its own; they run as you: they are not sandboxed yet")
        with show_progress(question, comparison.lanes, self._setup.json) as told:
            return await comparing.play(told)

    def _report_outcome(self, answer: ComparisonOutcome) -> ExitCode:
        finding, figures = answer.finding, self._figure_lines(answer)
        code, on_undecided = EXIT_CODES[finding.code], self._request.options.test.on_undecided
        if finding.code is ResultCode.UNDECIDED and finding.evidence is not None and on_undecided == "pass":
            code = ExitCode.YES
        try:
            self._files.write(finding, figures, code, time.time(), answer.replays)
        finally:
            with keep_verdict():
                self._show(answer, figures, code)
        return code

    def _figure_lines(self, answer: ComparisonOutcome) -> Sequence[str]:
        """What there is to say beside the sentence."""
        data = read_config(flags={"data": self._setup.data}).data
        return [
            *figure_lines(answer.finding, self._request.question),
            *loss_lines(answer.finding, data, self._files.replays),
            *([f"error       {answer.error}"] if answer.error else ()),
            *play_lines(answer.plays),
        ]

    def _show(self, answer: ComparisonOutcome, figures: Sequence[str], code: ExitCode) -> None:
        if self._setup.json:
            told = finding_as_dict(answer.finding, self._request.question, code)
            print_json({**told, "error_logged": answer.error, "plays": plays_as_dict(answer.plays)})
            return
        for line in (sentence_of(answer.finding), *figures):
            stdout_console().print(line, soft_wrap=True)


async def _collect_outcome(finding: ComparisonResult, comparison: OpenComparison, store: Store) -> ComparisonOutcome:
    error = last_candidate_error(comparison, store.folder) if finding.candidate.fault_count else ""
    return ComparisonOutcome(finding, error, await build_role_plays(comparison) if finding.games else ())
