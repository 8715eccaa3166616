"""Opens a comparison for the command line, plays it and reports the outcome."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.program_sets import describe_rights
from arena.bots.launch.programs import BotProgram
from arena.cli.command_settings import set_up_play
from arena.cli.compare.answer import EXIT_CODES, finding_as_dict, sentence_of
from arena.cli.compare.figures import (
    figure_lines,
    fit_line,
    lesson_lines,
    loss_lines,
    play_lines,
    state_as_dict,
    state_lines,
)
from arena.cli.compare.options import CompareSetup
from arena.cli.compare.output_files import prepare_files, render_replays, write_answer
from arena.cli.compare.progress import show_progress
from arena.cli.compare.request import CompareRequest
from arena.cli.console import discard_status, keep_verdict
from arena.cli.exit_codes import ExitCode
from arena.cli.match.progress import call_periodically
from arena.cli.match.recorded_play import plays_as_dict
from arena.cli.present import present
from arena.cli.result_console import print_wrapped_status, stdout_console
from arena.competition.compare.budget_end import CHOSEN_END_WIDTH, may_pass
from arena.competition.compare.comparison_result import ComparisonProgress, ComparisonResult, PlayedGames, ResultCode
from arena.competition.compare.lanes import CANDIDATE
from arena.errors import BotStartError, OptionError
from arena.fleet.cluster.cluster_fleet import check_for_cluster, open_fleet
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.boxes import choose_boxes
from arena.fleet.runner.fleet import Fleet
from arena.fleet.runner.match_bots import build_programs
from arena.fleet.runner.runner import Runner, open_runner
from arena.games.catalogue import games
from arena.organizer.compare.comparison import (
    COMPARISON_POLICY,
    ComparisonRequest,
    OpenComparison,
    default_node_count,
    end_lane_folders,
    open_comparison,
)
from arena.organizer.compare.comparison_run import (
    PROGRESS_S,
    ComparisonRun,
    build_role_plays,
    code_of_start_error,
    last_candidate_error,
)
from arena.organizer.compare.game_probe import PROBE_S, probe_games
from arena.organizer.compare.lane_folders import KeptState
from arena.organizer.play.league_play import build_dispatcher, reveal_left_deals
from arena.organizer.report.play_view import BotPlay
from arena.organizer.seal.seal import check_data_folder
from arena.plurals import format_subject
from arena.replays.library.library import Library
from arena.replays.narration.text_format import format_rough_duration
from arena.server.store.open_store import Store


@dataclass(frozen=True, slots=True)
class ComparisonOutcome:
    finding: ComparisonResult
    error: str = ""
    """The last error that the candidate logged, if it has faults."""
    plays: Sequence[BotPlay] = ()
    """How often candidate and baseline bluff and call."""
    replays: Mapping[str, str] = field(default_factory=dict)
    """Texts of the games that cost the candidate most, by file name; empty unless requested."""
    lessons: Sequence[str] = ()
    """The line that says how to find out why the candidate lost its most costly game; empty if there is none."""


class CompareRun:
    def __init__(self, request: CompareRequest, setup: CompareSetup) -> None:
        self._request = request
        self._setup = setup
        self._files = setup.files
        self._config = set_up_play(setup.data)
        self._report = discard_status if setup.json else print_wrapped_status
        self._comparison: OpenComparison | None = None
        self._played = PlayedGames()

    async def play(self) -> ExitCode:
        try:
            outcome = await self._run_to_outcome()
        except BotStartError as error:
            prepare_files(self._files)
            outcome = ComparisonOutcome(
                ComparisonResult(code_of_start_error(type(error).__name__), games=0, seconds=0.0, reason=str(error))
            )
        return self._report_outcome(outcome)

    def interruption_message(self) -> str:
        """What was saved, and how to continue."""
        if self._comparison is None:
            return "nothing had started"
        games = max(self._played.games, self._comparison.league.ledger.game_count)
        return f"{format_subject(games, 'game')} finished and saved; the same command resumes the comparison"

    async def _run_to_outcome(self) -> ComparisonOutcome:
        """Raises BotStartError if a program is missing, cannot be built or does not play these rules."""
        request, config, cluster = self._request.to_comparison(), self._config, self._setup.cluster
        check_data_folder(request.programs, config.data)
        self._report(self._request.describe())
        players = [BotEntrant(role, program) for role, program in request.programs.items()]
        if cluster and request.keeps_state:
            raise OptionError("keep-state", True, "on a cluster no lane keeps files: leave out --cluster")
        check_for_cluster(cluster, players)
        boxes = await asyncio.to_thread(choose_boxes, players, config.boxes)
        async with (
            open_fleet(cluster) as fleet,
            open_runner(
                config.data, self._choose_node_count(fleet), boxes=boxes, fleet=fleet, report_loss=self._report
            ) as runner,
        ):
            prepare_files(self._files)
            async with call_periodically(self._report_waiting("building the bots"), PROGRESS_S):
                programs = await self._build_programs(request, config.data / "bots", boxes)
            probe_s = min(PROBE_S, self._request.budget_s or PROBE_S)
            lanes_folder = runner.store.folder.resolve() / "lanes"
            await probe_games(programs, request.terms, runner.nodes[0], lanes_folder, probe_s)
            comparison = await open_comparison(request, programs, runner.store, self._request.max_games)
            self._comparison = comparison
            return await self._play_comparison(comparison, runner)

    def _choose_node_count(self, fleet: Fleet) -> int:
        """Raises OptionError if several nodes are wanted and lanes keep their files.

        On several nodes, several processes of a lane would write to the same files at the same time.
        """
        keeps_state, wanted = self._request.options.test.keep_state, self._setup.nodes
        if keeps_state and wanted is not None and wanted > 1:
            raise OptionError("nodes", wanted, "expected 1: with --keep-state one process writes a lane's files")
        return 1 if keeps_state else wanted or default_node_count(fleet.room)

    def _report_waiting(self, what: str) -> Callable[[], None]:
        """Return a function that reports what the comparison waits for, from its second call on."""
        began, calls = time.monotonic(), count()

        def report() -> None:
            if next(calls):
                self._report(f"{what}, {format_rough_duration(time.monotonic() - began)}")

        return report

    async def _build_programs(
        self, request: ComparisonRequest, outputs: Path, boxes: BoxSettings | None
    ) -> Mapping[str, BotProgram]:
        """Build each program once, before it is copied to the lanes. Raises BotStartError."""
        built: dict[int, BotProgram] = {}
        candidate_last = sorted(request.programs.items(), key=lambda item: item[0] == CANDIDATE)
        for role, program in candidate_last:
            if id(program) in built:
                continue
            try:
                (entrant,) = await build_programs(outputs, [BotEntrant(role, program)], self._report, boxes)
            except BotStartError as error:
                raise BotStartError(f"{role}: {error}") from error
            assert isinstance(entrant.program, BotProgram), "no bot of a comparison runs elsewhere"
            built[id(program)] = entrant.program
        return {role: built[id(program)] for role, program in request.programs.items()}

    async def _play_comparison(self, comparison: OpenComparison, runner: Runner) -> ComparisonOutcome:
        league, question = comparison.league, comparison.request.question
        processes = len(comparison.lanes.roles) * len(runner.nodes)
        dispatcher = build_dispatcher(league, runner, processes, COMPARISON_POLICY)
        run = ComparisonRun(comparison, dispatcher, runner.store, self._request.limits)
        self._played = await run.read_played()
        if self._played.games:
            self._report(f"resuming a comparison; {format_subject(self._played.games, 'game')} finished")
        await reveal_left_deals(league, runner)
        rights = describe_rights(bot.program for bot in league.file.bots.values())
        where = f"{2 * comparison.lanes.seats} tables" + (
            f" of {runner.describe_nodes()}" if len(runner.nodes) > 1 or runner.nodes[0].machine else ""
        )
        self._report(f"starting {processes} bot processes, one for each seat at {where}; {rights}")
        with show_progress(question, comparison.lanes, self._setup.json) as show_state:

            def on_progress(progress: ComparisonProgress) -> None:
                self._played = progress.finding.played
                show_state(progress)

            finding = await run.play(on_progress)
        await reveal_left_deals(league, runner)  # the deals of the last blocks
        outcome = await self._collect_outcome(finding, comparison, runner.store)
        await run.close(finding)
        end_lane_folders(comparison, finding.played.games)
        return outcome

    async def _collect_outcome(
        self, finding: ComparisonResult, comparison: OpenComparison, store: Store
    ) -> ComparisonOutcome:
        error = last_candidate_error(comparison, store.folder) if finding.candidate.fault_count else ""
        plays = await build_role_plays(comparison) if finding.games else ()
        lessons = lesson_lines(finding, store.folder, comparison.request.terms)
        if self._files.replays is None:
            return ComparisonOutcome(finding, error, plays, lessons=lessons)
        library = Library(store.folder, store, games())
        replays = await render_replays(finding.losses, comparison.lanes.roles, library)
        return ComparisonOutcome(finding, error, plays, replays, lessons)

    def _report_outcome(self, outcome: ComparisonOutcome) -> ExitCode:
        finding, figures = outcome.finding, self._figure_lines(outcome)
        code, on_undecided = EXIT_CODES[finding.code], self._request.options.test.on_undecided
        if finding.code is ResultCode.UNDECIDED and on_undecided == "pass" and self._may_pass(finding):
            code = ExitCode.YES
        try:
            write_answer(self._files, finding, figures, code, time.time(), outcome.replays)
        finally:
            with keep_verdict():
                values = finding_as_dict(finding, self._request.question, code)
                values |= {"error_logged": outcome.error, "plays": plays_as_dict(outcome.plays)}
                values["state"], console = state_as_dict(self._kept), stdout_console()
                present(
                    values, self._setup.json, (fit_line(line, console) for line in (sentence_of(finding), *figures))
                )
        return code

    def _may_pass(self, finding: ComparisonResult) -> bool:
        """Return whether an undecided comparison passes with `--on-undecided pass`."""
        is_end_chosen = self._request.budget_s is not None
        return may_pass(finding.estimate, self._request.question, is_end_chosen=is_end_chosen)

    def _passing_lines(self, finding: ComparisonResult) -> Sequence[str]:
        """Return why an undecided comparison passes or not, if the user asked that it may pass."""
        if finding.code is not ResultCode.UNDECIDED or self._request.options.test.on_undecided != "pass":
            return []
        if self._may_pass(finding):
            return ["passes      the whole interval is inside the margin"]
        place = f"{CHOSEN_END_WIDTH:g} times the interval" if self._request.budget_s is not None else "the interval"
        why = "there is no interval" if finding.estimate is None else f"{place} reaches beyond the margin"
        return [f"fails       though --on-undecided is pass: {why}"]

    @property
    def _kept(self) -> KeptState | None:
        """What the lanes keep; None if they keep nothing, or if the comparison did not begin."""
        return None if self._comparison is None else self._comparison.kept

    def _figure_lines(self, outcome: ComparisonOutcome) -> Sequence[str]:
        """Return the lines that follow the sentence of the answer."""
        return [
            *figure_lines(outcome.finding, self._request.question),
            *self._passing_lines(outcome.finding),
            *state_lines(self._kept),
            *loss_lines(outcome.finding, self._config.data, self._files.replays),
            *outcome.lessons,
            *([f"error       {outcome.error}"] if outcome.error else ()),
            *play_lines(outcome.plays),
        ]
