"""Runs a match for the command line: on a server in this process, on a remote server, or on several nodes."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from arena.bots.launch.box_settings import BoxSettings
from arena.cli.command_settings import set_up_play
from arena.cli.console import discard_status, print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.match.options import MatchSetup
from arena.cli.match.order import check_for_cluster, choose_node_count
from arena.cli.match.progress import overview_of, show_progress
from arena.cli.match.recorded_play import RecordedPlay, read_recorded_play
from arena.cli.match.replay_hint import replay_command
from arena.cli.match.result import MatchResult, RunDiagnostics
from arena.cli.match.standings import FaultLimit
from arena.cli.signals import run_until_stopped
from arena.errors import ArenaError
from arena.fleet.assembly.node import run_node_loop
from arena.fleet.cluster.cluster_fleet import open_fleet
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.boxes import choose_boxes, listen_for_boxes
from arena.fleet.runner.fleet import Fleet
from arena.fleet.runner.host import TOKEN_VARIABLE, Host, connect_remote_host, open_local_host
from arena.fleet.runner.job import MatchJob, MatchJobResult
from arena.fleet.runner.match_bots import MatchBots, build_programs, launch_bots, select_shown_names
from arena.fleet.runner.node_process import OWN_FLEET
from arena.fleet.runner.runner import Runner, open_runner, run_all
from arena.fleet.runner.split_orders import reorder_report, repeat_order, split_order
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import MatchId
from arena.plurals import format_count, format_subject
from arena.replays.library.journals import JournalReader, journaled_matches, journals_by_start
from arena.server.config.server_config import DEFAULT_DATA_FOLDER, ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.rpc.listeners import split_address
from cheatarena.credentials import find_authority
from cheatarena.tls_settings import TlsSettings

_MAX_COMMANDS: Final = 3
"""The most matches of an interrupted run for which each command is written out."""


@dataclass
class SingleNodeRun:
    """Runs matches of the same bots on one node: a server in this process or a remote one."""

    players: Sequence[BotEntrant]
    order: MatchOrder
    """It has the entrants in the order in which they are shown."""
    matches: Sequence[MatchOrder]
    setup: MatchSetup
    limit: FaultLimit
    begun: dict[MatchId, MatchOrder] = field(default_factory=dict)
    reports: list[MatchReport] = field(default_factory=list)
    result: MatchResult | None = None
    """What is known at the end; None before that."""

    def run(self) -> int:
        """Raises Interrupted at a stop signal, after the finished games have been shown."""
        return run_node_loop(
            lambda clock, selector: run_until_stopped(self.play(clock, selector), self.show_finished_games)
        )

    async def play(self, clock: NodeClock, selector: StampingSelector) -> ExitCode:
        setup, order = self.setup, self.order
        async with (
            _open_host(setup, self.players, clock, selector) as host,
            launch_bots(host, self.players, setup.join_time, print_status, setup.shown_names) as bots,
        ):
            try:
                await self._play_and_show(host, bots)
            except ArenaError:
                if any(report.games for report in self.reports):  # they were finished before the error
                    self._keep_result(host, bots).show(setup.json)
                raise
            finally:
                result = self._keep_result(host, bots)
        if not setup.server or setup.data:  # otherwise the records are out of reach
            data, outputs = result.diagnostics.data, result.diagnostics.outputs
            play = await read_recorded_play(data, order.entrants, order.game, self.reports, outputs)
            result = self.result = replace(result, play=play)
        result.show(setup.json)
        return result.exit_code

    def show_finished_games(self) -> str:
        """Return a text that says where they are."""
        return show_finished_games(self.result, self.setup.json)

    async def _play_and_show(self, host: Host, bots: MatchBots) -> None:
        if self.order.pace.fixed_window:
            print_status("call windows last their full time; with --no-fixed-window they end early")
        overview = overview_of(self.order, self.reports, len(self.matches))
        async with show_progress(overview, lambda: self._running_reports(host), self.setup.json):
            await self._play_all(bots)

    def _build_result(self, diagnostics: RunDiagnostics) -> MatchResult:
        return MatchResult(self.order, self.reports, diagnostics, match_count=len(self.matches), limit=self.limit)

    async def _play_all(self, bots: MatchBots) -> None:
        """Play a few at a time. The first error cancels all others."""
        slots = asyncio.Semaphore(self.setup.at_once)

        async def play(match: MatchOrder) -> None:
            async with slots:
                await self._play_one(bots, match)

        await run_all(map(play, self.matches))

    async def _play_one(self, bots: MatchBots, match: MatchOrder) -> None:
        """If the match is cancelled, its report is kept too."""
        played: list[MatchReport] = []
        try:
            await bots.play_match(match, played, lambda match_id: self.begun.update({match_id: match}))
        finally:
            self.reports += map(self._reorder, played)

    def _reorder(self, report: MatchReport) -> MatchReport:
        return reorder_report(report, self.begun[report.match_id], self.order)

    def _running_reports(self, host: Host) -> list[MatchReport]:
        return [self._reorder(report) for report in host.running_matches() if report.match_id in self.begun]

    def _keep_result(self, host: Host, bots: MatchBots) -> MatchResult:
        """Call this while the bots run, because ended bots count as lost."""
        outputs = {name: [output] if (output := bots.output_of(name)) else [] for name in self.order.entrants}
        numbers = {match_id: number for number, match_id in enumerate(self.begun)}
        self.reports.sort(key=lambda report: numbers[report.match_id])
        diagnostics = RunDiagnostics(host.data, outputs, bots.find_exits(), host.stalls_us)
        self.result = self._build_result(diagnostics)
        return self.result


@dataclass
class MultiNodeRun:
    """Runs a match in parts, each on a node of its own."""

    players: Sequence[BotEntrant]
    order: MatchOrder
    setup: MatchSetup
    limit: FaultLimit
    config: ServerConfig
    parts: Sequence[MatchOrder] = ()
    """One for each node, once the fleet is open."""
    reports: list[MatchReport] = field(default_factory=list)
    job_results: list[MatchJobResult] = field(default_factory=list)
    result: MatchResult | None = None
    """What is known at the end; None before that."""

    def run(self) -> int:
        """Raises Interrupted at a stop signal, after the finished games have been shown."""
        return asyncio.run(run_until_stopped(self.play(), self.show_finished_games))

    async def play(self) -> ExitCode:
        setup, config = self.setup, self.config
        select_shown_names(self.players, setup.shown_names)
        boxes = await asyncio.to_thread(choose_boxes, self.players, config.boxes)
        async with open_fleet(setup.cluster) as fleet:
            count = _count_nodes(self.players, self.order, setup, fleet)
            self.parts = split_order(self.order, count)
            async with open_runner(config.data, count, config.log_level, boxes=boxes, fleet=fleet) as runner:
                await self._play_on(runner, boxes)
        order = self.order
        play = await read_recorded_play(config.data, order.entrants, order.game, self.reports, self._outputs())
        result = self.result = self._build_result(play)
        result.show(setup.json)
        return ExitCode.INTERNAL_ERROR if any(each.is_ours for each in self.job_results) else result.exit_code

    async def _play_on(self, runner: Runner, boxes: BoxSettings | None) -> None:
        setup, order = self.setup, self.order
        report = discard_status if setup.json else print_status
        counts = " + ".join(str(part.game_count) for part in self.parts)
        verb = "share" if len(self.parts) > 1 else "plays"
        report(f"{runner.describe_nodes()} {verb} {format_count(order.game_count, 'game')}: {counts}")
        self.players = await build_programs(self.config.data / "bots", self.players, print_status, boxes)
        async with show_progress(
            overview_of(order, self.reports),
            lambda: [reorder_report(report, part, order) for part, report in runner.running_matches()],
            setup.json,
        ):
            await run_all(self._play_part(runner, part) for part in self.parts)  # the first error cancels the rest

    def show_finished_games(self) -> str:
        """Return a text that says where they are."""
        return show_finished_games(self._build_result(RecordedPlay()), self.setup.json)

    def _outputs(self) -> dict[str, list[Path]]:
        """Return the output files of each bot, one for each part."""
        return {
            name: [output for each in self.job_results if (output := each.outputs.get(name)) is not None]
            for name in self.order.entrants
        }

    def _build_result(self, play: RecordedPlay) -> MatchResult:
        losses = [loss for each in self.job_results for loss in each.losses]
        stalls_us = [stall for each in self.job_results for stall in each.stalls_us]
        diagnostics = RunDiagnostics(self.config.data, self._outputs(), losses, stalls_us)
        count = len(self.parts)
        return MatchResult(self.order, self.reports, diagnostics, count, play, self.limit, count)

    async def _play_part(self, runner: Runner, part: MatchOrder) -> None:
        """The result is recorded after an error too."""
        results: list[MatchJobResult] = []
        try:
            await runner.play(MatchJob(part, tuple(self.players), tuple(self.setup.shown_names)), results)
        finally:
            self.job_results += results
            for result in results:
                games = 0 if result.report is None else len(result.report.games)
                if result.report is not None:
                    self.reports.append(reorder_report(result.report, part, self.order))
                if result.node_fault:
                    share = f"{games} of its {format_subject(part.game_count, 'game')}"
                    print_status(f"{result.node_fault}; {share} finished and saved")


def choose_run(
    players: Sequence[BotEntrant], order: MatchOrder, setup: MatchSetup, limit: FaultLimit, match_count: int = 1
) -> SingleNodeRun | MultiNodeRun:
    """Use as many nodes as were asked for, or as save most time. Raises OptionError."""
    check_for_cluster(setup, players, match_count)
    if setup.cluster or _count_nodes(players, order, setup, OWN_FLEET, match_count) > 1:
        return MultiNodeRun(players, order, setup, limit, set_up_play(setup.data))
    matches = repeat_order(order, match_count) if match_count > 1 else [order]
    return SingleNodeRun(players, order, matches, setup, limit)


def _count_nodes(
    players: Sequence[BotEntrant], order: MatchOrder, setup: MatchSetup, fleet: Fleet, match_count: int = 1
) -> int:
    """Raises OptionError."""
    cores = fleet.room.cores
    return choose_node_count(setup.nodes, order, players, setup.server, setup.port, match_count, cores=cores)


@asynccontextmanager
async def _open_host(
    setup: MatchSetup, players: Sequence[BotEntrant], clock: NodeClock, selector: StampingSelector
) -> AsyncIterator[Host]:
    """Connect to the server of the setup, or open one in this process if it names none.

    `players` are the bots that will be started. Raises IsolationError if one needs a box and no box holds here,
    OptionError if the server is not HOST:PORT, and whatever `connect_remote_host` or `open_local_host` raises.
    """
    config, server = set_up_play(setup.data, port=setup.port), setup.server
    if server:
        split_address("server", server)
        token, tls = os.environ.get(TOKEN_VARIABLE, ""), TlsSettings.from_environment()
        tls = replace(tls, ca=find_authority(server))
        async with connect_remote_host(server, token, setup.data, DEFAULT_DATA_FOLDER, tls) as host:
            yield host
    else:
        boxes = await asyncio.to_thread(choose_boxes, players, config.boxes)
        with listen_for_boxes(ServerConfig(config.data, port=config.port, grace_s=0), boxes) as settings:
            async with open_local_host(settings, clock, selector) as host:
                yield host


def show_finished_games(result: MatchResult | None, is_json: bool) -> str:
    """Show the finished games of an interrupted run, if any. `result` is None if nothing had begun.

    Return a text that says where to read them, or the game that was stopped if none is finished.
    """
    if result is None or not result.reports:
        return "no game had begun, so nothing was saved"
    data = result.diagnostics.data
    finished = [report for report in result.reports if report.games]
    if finished:
        result.show(is_json)
        games = sum(len(report.games) for report in finished)
        return f"saved {format_count(games, 'finished game')}: {_replay_commands(finished, data)}"
    recorded = _matches_with_moves(data)
    stopped = [report for report in result.reports if report.match_id in recorded]
    if not stopped:
        return "no game was finished"
    return f"the first game was not finished, but its moves are saved: {_replay_commands(stopped, data)}"


def _replay_commands(reports: Sequence[MatchReport], data: Path) -> str:
    if len(reports) > _MAX_COMMANDS:
        return f"{replay_command('ID', data)}, with the id of one of {format_count(len(reports), 'match')}"
    return "; ".join(replay_command(report.match_id, data) for report in reports)


def _matches_with_moves(data: Path) -> set[MatchId]:
    """Return the matches on the newest server of a data folder that have begun, not those that only offered seats."""
    newest = next(iter(journals_by_start(data)), [])
    return {match.match_id for path in newest for match in journaled_matches(JournalReader(path))}
