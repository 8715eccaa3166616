"""Runs a match for the command line: on a server in this process, on a remote server, or on several nodes."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arena.cli.console import discard_status, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.match.fault_limit import FaultLimit
from arena.cli.match.host import NOTHING_KEPT_TEXT, collect_diagnostics, open_host, show_finished_games
from arena.cli.match.options import MatchSetup
from arena.cli.match.order import choose_node_count
from arena.cli.match.progress import overview_of, show_progress
from arena.cli.match.recorded_play import RecordedPlay, read_recorded_play
from arena.cli.match.result import MatchResult, RunDiagnostics
from arena.cli.signals import run_until_stopped
from arena.errors import ArenaError
from arena.fleet.assembly.node import run_node_loop
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.boxes import choose_boxes
from arena.fleet.runner.host import Host
from arena.fleet.runner.job import MatchJob, MatchJobResult
from arena.fleet.runner.match_bots import MatchBots, build_programs, launch_bots, select_shown_names
from arena.fleet.runner.runner import Runner, open_runner, run_all
from arena.fleet.runner.split_orders import reorder_report, repeat_order, split_order
from arena.fleet.telemetry import set_up_logging
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import MatchId
from arena.plurals import format_count, format_subject
from arena.server.config.read_config import read_config
from arena.server.config.server_config import DEFAULT_DATA_FOLDER
from arena.server.node.event_loop import NodeClock, StampingSelector


class SingleNodeRun:
    """Runs one or more matches on one node: a server in this process or a remote one."""

    def __init__(
        self,
        players: Sequence[BotEntrant],
        order: MatchOrder,
        setup: MatchSetup,
        limit: FaultLimit,
        match_count: int = 1,
    ) -> None:
        self._players = players
        self._order = order
        self._setup = setup
        self._limit = limit
        self._matches = repeat_order(order, match_count) if match_count > 1 else [order]
        self._begun: dict[MatchId, MatchOrder] = {}
        """The matches that were created, with their orders."""
        self._reports: list[MatchReport] = []
        self.result: MatchResult | None = None
        """What is known at the end; None before that."""

    def run(self) -> int:
        """Play until a stop signal comes, show the result and return the exit code. Raises Interrupted."""
        return run_node_loop(
            lambda clock, selector: run_until_stopped(self.play(clock, selector), self.show_finished_games)
        )

    async def play(self, clock: NodeClock, selector: StampingSelector) -> ExitCode:
        """Play, show the result and return the exit code."""
        setup, order, names, count = self._setup, self._order, self._order.entrants, len(self._matches)
        overview = overview_of(order, self._reports, count)
        async with (
            open_host(setup.server, setup.data, setup.port, self._players, (clock, selector)) as host,
            launch_bots(host, self._players, setup.join_time, print_status, setup.shown_names) as bots,
        ):
            if order.pace.fixed_window:
                print_status("call windows last their full time; with --no-fixed-window they end early")
            try:
                async with show_progress(overview, lambda: self._running_reports(host), setup.json):
                    await self._play_all(bots)
            except ArenaError:
                self._show_finished_matches(host, bots)
                raise
            finally:
                diagnostics = collect_diagnostics(host, bots, names)
                result = self.result = self._build_result(diagnostics)
        if not setup.server or setup.data:  # otherwise the records are out of reach
            outputs = diagnostics.outputs
            play = await read_recorded_play(diagnostics.data, names, order.game, self._reports, outputs)
            result = self.result = replace(result, play=play)
        result.show(setup.json)
        return _exit_code(result)

    def show_finished_games(self) -> str:
        """Show the finished games of an interrupted run. Return a text that says where they are."""
        return NOTHING_KEPT_TEXT if self.result is None else show_finished_games(self.result, self._setup.json)

    async def _play_all(self, bots: MatchBots) -> None:
        """Play the matches, a few at a time. The first error cancels all other matches."""
        slots = asyncio.Semaphore(self._setup.at_once)

        async def play(match: MatchOrder) -> None:
            async with slots:
                await self._play_one(bots, match)

        await run_all(map(play, self._matches))

    async def _play_one(self, bots: MatchBots, match: MatchOrder) -> None:
        """Play one match and keep its report. If it is cancelled, its report is kept too."""
        played: list[MatchReport] = []
        try:
            await bots.play_match(match, played, lambda match_id: self._begun.update({match_id: match}))
        finally:
            self._reports += map(self._reorder, played)

    def _reorder(self, report: MatchReport) -> MatchReport:
        return reorder_report(report, self._begun[report.match_id], self._order)

    def _running_reports(self, host: Host) -> list[MatchReport]:
        return [self._reorder(report) for report in host.running_matches() if report.match_id in self._begun]

    def _show_finished_matches(self, host: Host, bots: MatchBots) -> None:
        """Show the matches that were finished before an error ended the others."""
        if any(report.games for report in self._reports):
            self._build_result(collect_diagnostics(host, bots, self._order.entrants)).show(self._setup.json)

    def _build_result(self, diagnostics: RunDiagnostics) -> MatchResult:
        numbers = {match_id: number for number, match_id in enumerate(self._begun)}
        self._reports.sort(key=lambda report: numbers[report.match_id])
        count = len(self._matches)
        return MatchResult(self._order, self._reports, diagnostics, match_count=count, limit=self._limit)


class MultiNodeRun:
    """Runs a match in parts, each on a node of its own."""

    def __init__(
        self,
        players: Sequence[BotEntrant],
        order: MatchOrder,
        setup: MatchSetup,
        limit: FaultLimit,
        node_count: int,
    ) -> None:
        self._players = players
        self._order = order
        self._setup = setup
        self._limit = limit
        self._parts = split_order(order, node_count)
        self._reports: list[MatchReport] = []
        self._job_results: list[MatchJobResult] = []
        self._data = DEFAULT_DATA_FOLDER
        self.result: MatchResult | None = None
        """What is known at the end; None before that."""

    def run(self) -> int:
        """Play until a stop signal comes, show the result and return the exit code. Raises Interrupted."""
        return asyncio.run(run_until_stopped(self.play(), self.show_finished_games))

    async def play(self) -> ExitCode:
        """Play, show the result and return the exit code."""
        setup, order, count = self._setup, self._order, len(self._parts)
        config = read_config(flags={"data": setup.data})
        self._data = config.data
        level = config.log_level if "ARENA_LOG_LEVEL" in os.environ else "error"
        set_up_logging(level)
        select_shown_names(self._players, setup.shown_names)
        report = discard_status if setup.json else print_status
        counts = " + ".join(str(part.game_count) for part in self._parts)
        report(f"{count} nodes share {format_count(order.game_count, 'game')}: {counts}")
        overview = overview_of(order, self._reports)
        boxes = await asyncio.to_thread(choose_boxes, self._players, config.boxes)
        async with open_runner(config.data, count, level, boxes=boxes) as runner:
            self._players = await build_programs(config.data / "bots", self._players, print_status, boxes)
            async with show_progress(
                overview,
                lambda: [reorder_report(report, part, order) for part, report in runner.running_matches()],
                setup.json,
            ):
                await run_all(self._play_part(runner, part) for part in self._parts)  # the first error cancels the rest
        play = await read_recorded_play(config.data, order.entrants, order.game, self._reports, self._outputs())
        result = self.result = self._build_result(play)
        result.show(setup.json)
        return ExitCode.INTERNAL_ERROR if any(each.is_ours for each in self._job_results) else _exit_code(result)

    def show_finished_games(self) -> str:
        """Show the finished games of an interrupted run. Return a text that says where they are."""
        return show_finished_games(self._build_result(RecordedPlay()), self._setup.json)

    def _outputs(self) -> dict[str, list[Path]]:
        """Return the output files of each bot, one for each part."""
        return {
            name: [output for each in self._job_results if (output := each.outputs.get(name)) is not None]
            for name in self._order.entrants
        }

    def _build_result(self, play: RecordedPlay) -> MatchResult:
        job_results = self._job_results
        losses = [loss for each in job_results for loss in each.losses]
        stalls_us = [stall for each in job_results for stall in each.stalls_us]
        diagnostics = RunDiagnostics(self._data, self._outputs(), losses, stalls_us)
        count = len(self._parts)
        return MatchResult(self._order, self._reports, diagnostics, count, play, self._limit, count)

    async def _play_part(self, runner: Runner, part: MatchOrder) -> None:
        """Play one part and record its result. After an error, the result is recorded too."""
        results: list[MatchJobResult] = []
        try:
            await runner.play(MatchJob(part, tuple(self._players), tuple(self._setup.shown_names)), results)
        finally:
            self._job_results += results
            for result in results:
                games = 0 if result.report is None else len(result.report.games)
                if result.report is not None:
                    self._reports.append(reorder_report(result.report, part, self._order))
                if result.node_fault:
                    share = f"{games} of its {format_subject(part.game_count, 'game')}"
                    print_status(f"{result.node_fault}; {share} finished and saved")


def choose_run(
    players: Sequence[BotEntrant], order: MatchOrder, setup: MatchSetup, limit: FaultLimit, match_count: int = 1
) -> SingleNodeRun | MultiNodeRun:
    """Return the run of a match on as many nodes as were asked for, or as save most time. Raises OptionError."""
    node_count = choose_node_count(setup.nodes, order, players, setup.server, setup.port, match_count)
    if node_count > 1:
        return MultiNodeRun(players, order, setup, limit, node_count)
    return SingleNodeRun(players, order, setup, limit, match_count)


def _exit_code(result: MatchResult) -> ExitCode:
    if not result.is_complete or any(loss.is_host_fault for loss in result.diagnostics.losses):
        return ExitCode.UNSTEADY
    return ExitCode.BOT_FAILED if result.has_too_many_faults else ExitCode.YES
