"""The process of a node: `python -P -m arena.runner.node_main SOCKET`. It does what its runner asks, and ends with it.

It opens no store. What it is told on the line it believes; what it writes is its journal and its bots' output.
"""

import asyncio
import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import replace
from functools import partial
from typing import NoReturn

import structlog

from arena.app import NodeStores, RunningNode, run_node_loop, start_node
from arena.config.server_config import ServerConfig
from arena.errors import BotGameError, CapacityError
from arena.launch.process import Launcher
from arena.match.match_order import MatchReport
from arena.match.ports import MatchId
from arena.node.event_loop import NodeClock, StampingSelector
from arena.node.hosted_match import HostedMatch, SessionKey
from arena.node.shared_table import SharedTable
from arena.runner.connection import Connection
from arena.runner.host import Host
from arena.runner.job import MatchJob, MatchJobResult, NodeSetup, ResourceUsage
from arena.runner.match_bots import MatchBots, launch_bots
from arena.runner.match_reports import build_new_reports, count_ended_games
from arena.runner.node_bots import NodeBots
from arena.runner.node_services import NODE, BotMessage, JobMessage, RunnerClient, SharedTableMessage
from arena.runner.organizer import LocalOrganizer
from arena.runner.process_sampler import sample_processes
from arena.runner.resource_usage import measure_usage
from arena.runner.stream_transport import StreamTransport
from arena.store.folder_lock import register_node
from arena.store.receipt_key import ReceiptKey
from arena.telemetry import set_up_logging

log = structlog.get_logger(__name__)

JOIN_TIMEOUT_S = 60.0
"""Seconds for a bot that somebody else starts; a node has none."""
PROGRESS_INTERVAL_S = 0.25
"""How often the runner is told how matches stand."""
MAX_MATCH_AGE_US = 30 * 24 * 3_600_000_000
"""A match that was cut off elsewhere and goes on here may have begun so long ago."""
BOT_RESTART_WAIT_S = 30.0
"""So long a table waits for a bot that is being started again before it begins."""
SEAT_POLL_S = 0.1
"""How often one looks whether a table can be opened."""
RUNNER_GONE_EXIT_CODE = 75
"""The exit code of a node whose runner has gone."""


class _EndedMatches:
    """Counts the decisions of the matches that are over; implements `MatchObserver`."""

    def __init__(self) -> None:
        self.decision_count = 0

    def on_match_started(self, booking: HostedMatch) -> None:
        """Nothing is to be counted yet."""

    def on_match_ended(self, booking: HostedMatch) -> None:
        """A match is over."""
        self.decision_count += _count_decisions(booking)


class NodeService:
    """What the runner may ask and tell."""

    def __init__(
        self, runner: RunnerClient, clock: NodeClock, selector: StampingSelector, stack: AsyncExitStack
    ) -> None:
        """`stack` closes what was opened, last things first."""
        self._runner = runner
        self._parts = clock, selector
        self._stack = stack
        self._host: Host | None = None
        self._playing: dict[str, asyncio.Task[MatchJobResult]] = {}
        """By key of the order."""
        self.stopped = asyncio.Event()
        self._server: RunningNode
        self._roster: NodeBots
        self._given_up: set[SessionKey] = set()
        """Who does not come back."""
        self._ended = _EndedMatches()
        self._watching: asyncio.Task[None]

    async def open(self, setup: NodeSetup) -> str:
        """Listen. Gives the address. Raises StoreError, JournalError, PortBusyError."""
        set_up_logging(setup.log_level)
        self._stack.enter_context(closing(register_node(setup.data)))
        results, deals, tokens = self._runner.results, self._runner.deals, self._runner.tokens
        signer = ReceiptKey(setup.receipt_key)
        kept = NodeStores(results, deals, tokens, signer, setup.data / "journals", setup.name)
        clock, selector = self._parts
        launchers: list[Launcher] = []
        processes = await self._stack.enter_async_context(sample_processes(launchers, clock.now))
        config = ServerConfig(setup.data, port=setup.port, grace_s=0)
        server = await self._stack.enter_async_context(
            start_node(config, kept, clock, selector, [self._ended], processes)
        )
        self._host = Host(server.address, LocalOrganizer(server.matches), tokens, setup.data, server, launchers)
        self._server = server
        self._roster = NodeBots(self._host, self._runner.events.on_bot_exit, _echo)
        self._stack.push_async_callback(self._roster.close)
        self._watching = asyncio.ensure_future(self._roster.watch())
        return server.address

    async def play(self, job: JobMessage) -> MatchJobResult:
        """Play a match with bots of its own; one that is cancelled is reported as it stands.

        Raises BotStartError, EnvironmentFaultError, and RequestError where the match is refused.
        """
        reports: list[MatchReport] = []
        task = self._playing[job.order.key] = asyncio.create_task(self._play_job(job.restore(), reports))
        await asyncio.wait([task])
        del self._playing[job.order.key]
        return MatchJobResult(next(iter(reports), None)) if task.cancelled() else task.result()

    def cancel(self, key: str) -> None:
        """Have a job end now."""
        if (task := self._playing.get(key)) is not None:
            task.cancel()

    async def start_bot(self, player: BotMessage, instance: str, game: str, preset: str) -> None:
        """Have a bot stay here; return when it has connected. Raises BotStartError, also if it does not play this."""
        self._given_up.discard((player.name, instance))
        await self._roster.start(player.restore(), instance, JOIN_TIMEOUT_S)
        guest = self._server.node.hall.sessions.by_key.get((player.name, instance))
        if guest is not None and not guest.can_play(game, preset):
            await self._roster.stop(player.name)
            raise BotGameError(f"{player.name} does not play {game}/{preset}")

    async def stop_bot(self, name: str) -> None:
        """End a bot that stays here."""
        await self._roster.stop(name)

    async def give_up_bot(self, name: str, instance: str) -> None:
        """A bot that stayed here does not come back: its seats are given up, and no table waits for it."""
        self._given_up.add((name, instance))
        node = self._server.node
        await node.resumed.wait()
        now = node.now()
        node.inbox.put_action(now, partial(node.hall.leave_all_matches, (name, instance), now, now), _log_fault)

    async def play_shared_table(self, table: SharedTableMessage) -> None:
        """Play a table of a shared deal with bots that stay here; return when it is over and kept.

        Who is not here is waited for, and forfeits if it does not come. Raises JournalError for records that are none.
        """
        await self._play_when_possible(table.restore())

    def stop(self) -> None:
        """End in good order."""
        self.stopped.set()

    async def _play_when_possible(self, table: SharedTable) -> None:
        self._server.archivist.expect(table.match_id)
        away_at = time.monotonic() + BOT_RESTART_WAIT_S
        while not await self._try_open_table(table):
            await asyncio.sleep(SEAT_POLL_S)
            if time.monotonic() > away_at:
                table = replace(table, away=table.away | self._missing_entrants(table))
        await self._server.archivist.wait_until_stored(table.match_id)

    async def _try_open_table(self, table: SharedTable) -> bool:
        """Open a table; not while somebody is being started again, or has no seat free."""
        node = self._server.node
        await node.resumed.wait()
        given_up = {name for name, instance in self._given_up if instance == table.instance}
        table = replace(table, away=table.away | given_up.intersection(table.terms.entrants))
        if self._missing_entrants(table) - table.away:
            return False
        try:
            node.hall.open_shared_table(table, node.now())
        except CapacityError:
            return False
        node.rearm_timer()
        return True

    def _missing_entrants(self, table: SharedTable) -> frozenset[str]:
        """Who is not here, or does not say any more that it plays this."""
        guests, terms = self._server.node.hall.sessions.by_key, table.terms
        here = {name: guests.get((name, table.instance)) for name in terms.entrants}
        game, preset = terms.game.name, terms.preset
        return frozenset(name for name, guest in here.items() if guest is None or not guest.can_play(game, preset))

    def suspend_shared_tables(self) -> None:
        """Stop where everything stands, before the bots are ended: nobody shall be blamed for that."""
        if self._host is not None:
            self._server.node.hall.release_shared_tables()

    async def usage(self) -> ResourceUsage:
        """What this node and the bots that stay here have used."""
        running = self._server.node.hall.matches.values()
        decisions = self._ended.decision_count + sum(map(_count_decisions, running))
        return measure_usage(decisions, self._roster.pids())

    async def report_progress(self) -> None:
        """Tell the runner now and then which games are over, each once."""
        told: Mapping[MatchId, int] = {}
        while True:
            await asyncio.sleep(PROGRESS_INTERVAL_S)
            server = None if self._host is None else self._host.server
            if server is not None:
                if news := build_new_reports(server.node, told):
                    self._runner.events.on_progress(tuple(news))
                told = count_ended_games(server.node)

    def abort(self) -> NoReturn:
        """The runner has gone: end the bots and this process before anybody is told anything more.

        The journal has all that was told so far; whoever opens the store next closes the matches from there.
        """
        for launcher in [] if self._host is None else self._host.launchers:
            launcher.close(grace_s=0)
        os._exit(RUNNER_GONE_EXIT_CODE)

    async def _play_job(self, job: MatchJob, reports: list[MatchReport]) -> MatchJobResult:
        host = self._host
        assert host is not None, "open comes first"
        stalls_before = len(host.stalls_us)
        async with launch_bots(host, job.players, JOIN_TIMEOUT_S, _echo, job.shown) as crew:
            report = await crew.play_match(
                job.order, reports, partial(self._runner.events.on_match_started, job.order.key)
            )
            return _build_job_result(report, crew, host.stalls_us[stalls_before:])


def _count_decisions(booking: HostedMatch) -> int:
    return sum(conduct.decision_count for conduct in booking.table.referee.entrant_records)


def _build_job_result(report: MatchReport, crew: MatchBots, stalls_us: Sequence[int]) -> MatchJobResult:
    """How a match went. To be asked before its bots are ended."""
    outputs = {name: crew.output_of(name) for name in crew.names}
    return MatchJobResult(report, outputs, tuple(crew.find_exits()), tuple(stalls_us))


def _log_fault(fault: Exception) -> None:
    """Log a fault of ours in what nobody waits for."""
    log.error("a seat could not be given up", exc_info=fault)


def _echo(line: str) -> None:
    """Show what a bot writes."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


async def _serve(clock: NodeClock, selector: StampingSelector) -> int:
    streams = await asyncio.open_connection(sock=socket.socket(fileno=int(sys.argv[1])))
    connection = Connection(StreamTransport(*streams))
    async with AsyncExitStack() as stack:
        node = NodeService(RunnerClient.at(connection), clock, selector, stack)
        listening = asyncio.ensure_future(connection.run(NODE.handlers(node)))
        listening.add_done_callback(lambda task: None if task.cancelled() else node.abort())
        telling = asyncio.ensure_future(node.report_progress())
        await node.stopped.wait()
        node.suspend_shared_tables()
        telling.cancel()
    os._exit(0)  # nothing is left that could be lost, and hanging up would look like a runner that has gone


if __name__ == "__main__":
    sys.exit(run_node_loop(_serve, MAX_MATCH_AGE_US))
