"""A match from the first process to the last line: on one node in this process, on a server, or on several nodes."""

import os
from collections.abc import Iterable, Sequence

from arena.cli.console import discard_status, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.match.host import NOTHING_KEPT_TEXT, collect_diagnostics, open_host, show_finished_games
from arena.cli.match.options import MatchSetup
from arena.cli.match.progress import RunOverview, show_progress
from arena.cli.match.result import MatchResult, RunDiagnostics
from arena.config.read_config import read_config
from arena.config.server_config import DEFAULT_DATA_FOLDER
from arena.match.match_order import MatchOrder, MatchReport
from arena.node.event_loop import NodeClock, StampingSelector
from arena.runner.bot_entrant import BotEntrant
from arena.runner.concurrency import run_all
from arena.runner.host import Host
from arena.runner.job import MatchJob, MatchJobResult
from arena.runner.match_bots import build_programs, launch_bots, select_shown_names
from arena.runner.runner import Runner, open_runner
from arena.runner.split_orders import reorder_report, split_order
from arena.telemetry import set_up_logging


class SingleNodeRun:
    """A match on one node: a server in this process, or one that runs somewhere."""

    def __init__(self, players: Sequence[BotEntrant], order: MatchOrder, setup: MatchSetup) -> None:
        self._players = players
        self._order = order
        self._setup = setup
        self._reports: list[MatchReport] = []
        self._result: MatchResult | None = None

    async def play(self, clock: NodeClock, selector: StampingSelector) -> ExitCode:
        """Play and show. Gives the exit code."""
        setup = self._setup
        async with open_host(setup.server, setup.data, setup.port, clock, selector) as host:
            result = await self._play_on_host(host)
        result.show(setup.json)
        return _exit_code(result, setup)

    def show_finished_games(self) -> str:
        """Show what is left after an interruption, and say where it is."""
        return NOTHING_KEPT_TEXT if self._result is None else show_finished_games(self._result, self._setup.json)

    async def _play_on_host(self, host: Host) -> MatchResult:
        setup, names = self._setup, self._order.entrants
        played = RunOverview(self._order.game, names, self._order.game_count, self._reports)
        async with launch_bots(host, self._players, setup.join_time, print_status, setup.shown_names) as crew:
            try:
                async with show_progress(played, host.running_matches, setup.json):
                    await crew.play_match(self._order, self._reports)
            finally:
                result = self._result = MatchResult(self._order, self._reports, collect_diagnostics(host, crew, names))
        return result


class MultiNodeRun:
    """A match in parts, each on a node of its own."""

    def __init__(self, players: Sequence[BotEntrant], order: MatchOrder, setup: MatchSetup, node_count: int) -> None:
        self._players = players
        self._order = order
        self._setup = setup
        self._parts = split_order(order, node_count)
        self._reports: list[MatchReport] = []
        self._performances: list[MatchJobResult] = []
        self._data = DEFAULT_DATA_FOLDER

    async def play(self) -> ExitCode:
        """Play and show. Gives the exit code."""
        setup, count = self._setup, len(self._parts)
        config = read_config(flags={"data": setup.data})
        self._data = config.data
        level = config.log_level if "ARENA_LOG_LEVEL" in os.environ else "error"
        set_up_logging(level)
        select_shown_names(self._players, setup.shown_names)
        tell = discard_status if setup.json else print_status
        tell(f"{count} nodes share {self._order.game_count} games: {_game_counts_text(self._parts)}")
        async with open_runner(config.data, count, level) as runner:
            self._players = await build_programs(config.data / "bots", self._players, print_status)
            await self._play_all(runner)
        result = self._build_result()
        result.show(setup.json)
        return (
            ExitCode.INTERNAL_ERROR if any(each.is_ours for each in self._performances) else _exit_code(result, setup)
        )

    def show_finished_games(self) -> str:
        """Show what is left after an interruption, and say where it is."""
        return show_finished_games(self._build_result(), self._setup.json)

    def _build_result(self) -> MatchResult:
        return MatchResult(self._order, self._reports, self._build_diagnostics(), len(self._parts))

    def _running_reports(self, runner: Runner) -> list[MatchReport]:
        return [reorder_report(report, part, self._order) for part, report in runner.running_matches()]

    async def _play_all(self, runner: Runner) -> None:
        """Play the parts; the first one that fails ends them all."""
        order = self._order
        played = RunOverview(order.game, order.entrants, order.game_count, self._reports)
        async with show_progress(played, lambda: self._running_reports(runner), self._setup.json):
            await run_all(self._play_part(runner, part) for part in self._parts)

    async def _play_part(self, runner: Runner, part: MatchOrder) -> None:
        noted: list[MatchJobResult] = []
        try:
            await runner.play(MatchJob(part, tuple(self._players), tuple(self._setup.shown_names)), noted)
        finally:
            for performance in noted:
                self._record_performance(performance, part)

    def _record_performance(self, performance: MatchJobResult, part: MatchOrder) -> None:
        report = performance.report
        self._performances.append(performance)
        if report is not None:
            self._reports.append(reorder_report(report, part, self._order))
        if performance.node_fault:
            kept = 0 if report is None else len(report.games)
            print_status(f"{performance.node_fault}; {kept} of its {part.game_count} games were over and are kept")

    def _build_diagnostics(self) -> RunDiagnostics:
        performances = self._performances
        outputs = {
            name: [output for each in performances if (output := each.outputs.get(name)) is not None]
            for name in self._order.entrants
        }
        losses = [loss for each in performances for loss in each.losses]
        return RunDiagnostics(self._data, outputs, losses, [stall for each in performances for stall in each.stalls_us])


def _game_counts_text(parts: Iterable[MatchOrder]) -> str:
    return " + ".join(str(part.game_count) for part in parts)


def _exit_code(result: MatchResult, setup: MatchSetup) -> ExitCode:
    if not result.is_complete:
        return ExitCode.UNSTEADY
    limit = setup.max_strikes
    return ExitCode.BOT_FAILED if limit is not None and result.max_strikes > limit else ExitCode.YES
