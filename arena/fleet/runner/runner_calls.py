"""Carries out the calls of a runner in a node: matches, resident bots, and tables of shared deals."""

import asyncio
import secrets
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import starmap

from arena.bots.launch.output import sanitize_for_terminal
from arena.bots.launch.programs import BotProgram
from arena.errors import BotGameError, CapacityError, NotConnectedError
from arena.fleet.assembly.node import RunningNode
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.host import Host
from arena.fleet.runner.job import MatchJob, MatchJobResult, ResourceUsage, measure_usage
from arena.fleet.runner.match_bots import launch_bots
from arena.fleet.runner.node_services import RunnerEvents, SharedTableMessage
from arena.fleet.runner.organizer import build_new_reports, count_ended_games
from arena.fleet.runner.resident_bots import ResidentBots
from arena.fleet.runner.signed_ahead import SignedAhead
from arena.log_lines import get_logger
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import SessionKey
from arena.server.node.deals import SharedTable
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.identity import LEAGUE_INSTANCE_PREFIX
from arena.server.node.match_totals import MatchTotals

log = get_logger(__name__)

JOIN_TIMEOUT_S = 60.0
"""Seconds in which a remote bot must connect. Only resident bots can be remote; the bots of a job cannot."""
PROGRESS_INTERVAL_S = 0.25
"""Seconds between progress reports to the runner."""
BOT_RESTART_WAIT_S = 30.0
"""Seconds for which a table waits for bots that are being restarted. After that, the table begins without these
bots."""
SEAT_POLL_S = 0.1
"""Seconds between attempts to open a table."""


class NodeService:
    """Does in a node what the runner asks for. Implements `NodeCalls`."""

    def __init__(
        self, events: RunnerEvents, server: RunningNode, host: Host, signed_ahead: SignedAhead | None = None
    ) -> None:
        """`server` is the server of `host`. `signed_ahead` takes the receipts that come with tables."""
        self._signed_ahead = signed_ahead
        self._events = events
        self._server = server
        self._host = host
        self.bots = ResidentBots(host, events.on_bot_exit)
        self._jobs: dict[str, asyncio.Task[MatchJobResult]] = {}
        """Running jobs, by key of the order."""
        self._own_instances: dict[SessionKey, str] = {}
        """The random instances of local bots, by name and the instance that the runner asked for. A token of the same
        name cannot take over a local bot's seats, because nobody else knows the bot's instance."""
        self._given_up: set[SessionKey] = set()
        """Bots that will not come back."""
        self._misnamed: set[SessionKey] = set()
        """Connected bots with an unexpected instance. Each is reported only once."""

    async def watch_bots(self) -> None:
        """Watch until cancelled. Run it as a task."""
        await self.bots.watch()

    async def aclose(self) -> None:
        await self.bots.close()

    @property
    def address(self) -> str:
        return self._server.public_address

    async def play(
        self, order: MatchOrder, programs: Mapping[str, BotProgram], shown: tuple[str, ...]
    ) -> MatchJobResult:
        reports: list[MatchReport] = []
        job = MatchJob(order, tuple(starmap(BotEntrant, programs.items())), shown)
        task = self._jobs[order.key] = asyncio.create_task(self._play_job(job, reports))
        await asyncio.wait([task])
        del self._jobs[order.key]
        return MatchJobResult(next(iter(reports), None)) if task.cancelled() else task.result()

    def cancel(self, key: str) -> None:
        """Do nothing if the job is not running."""
        if (task := self._jobs.get(key)) is not None:
            task.cancel()

    async def start_bot(self, name: str, program: BotProgram, instance: str, game: str, preset: str) -> None:
        self._given_up.discard((name, instance))
        self._own_instances.setdefault((name, instance), f"{LEAGUE_INSTANCE_PREFIX}{secrets.token_hex(8)}")
        key = self._session_key(name, instance)
        await self.bots.start(BotEntrant(name, program), key[1])
        session = self._server.node.registry.sessions.by_key.get(key)
        if session is not None and not session.can_play(game, preset):
            await self.bots.stop(name)
            raise BotGameError(f"{name} does not play {game}/{preset}: it plays {session.describe_games()}")

    def _session_key(self, name: str, instance: str) -> SessionKey:
        """The runner asked for `instance`; a local bot has its own."""
        return name, self._own_instances.get((name, instance), instance)

    async def stop_bot(self, name: str) -> None:
        await self.bots.stop(name)

    async def give_up_bot(self, name: str, instance: str) -> None:
        """No table waits for this bot any more."""
        self._given_up.add((name, instance))
        node, key = self._server.node, self._session_key(name, instance)
        await node.resumed.wait()
        now = node.now()
        node.inbox.put_action(now, partial(node.registry.leave_all_matches, key, now, now), _log_error)

    async def open_tables(self, wanted: tuple[MatchId, ...]) -> tuple[MatchId, ...]:
        playing = {hosted.match_id for hosted in self._server.node.registry.matches.values()}
        return tuple(match_id for match_id in wanted if match_id in playing)

    async def play_shared_table(self, table: SharedTableMessage) -> None:
        """Bots that do not connect in time forfeit, unless the table needs everybody."""
        with nullcontext() if self._signed_ahead is None else self._signed_ahead.hold(table.receipts):
            await self._play_shared_table(table)

    async def _play_shared_table(self, table: SharedTableMessage) -> None:
        results = self._server.result_writer
        results.expect(table.match_id)
        try:
            hosted = await self._open_table(table.restore())
        except BaseException:
            results.release(table.match_id)
            raise
        if table.needs_everybody:
            await self._wait_for_start(hosted)
        await results.wait_until_stored(table.match_id)

    async def _open_table(self, wanted: SharedTable) -> HostedMatch:
        """Open a table as soon as its bots are there and have free seats.

        Raises NotConnectedError if the table needs everybody and somebody is missing.
        """
        give_up_at = time.monotonic() + BOT_RESTART_WAIT_S
        while (hosted := await self._try_open_table(wanted)) is None:
            with self._await_seats(wanted):
                await asyncio.sleep(SEAT_POLL_S)
            if time.monotonic() > give_up_at:
                missing = self._missing_entrants(wanted) - wanted.away
                if missing and wanted.needs_everybody:
                    raise NotConnectedError(sorted(missing))
                wanted = replace(wanted, away=wanted.away | missing)
        return hosted

    @contextmanager
    def _await_seats(self, table: SharedTable) -> Iterator[None]:
        """Have pools leave a seat of each bot to this table. Otherwise tables with one deal could begin far apart."""
        awaited = self._server.node.registry.sessions.awaited
        keys = [self._session_key(name, table.instance) for name in table.terms.entrants if name not in table.away]
        awaited.update(keys)
        try:
            yield
        finally:
            awaited.subtract(keys)

    async def _wait_for_start(self, hosted: HostedMatch) -> None:
        """Raises NotConnectedError if the match is withdrawn because an entrant took no seat."""
        while not hosted.is_running:
            if hosted.is_over:
                self._server.result_writer.release(hosted.match_id)
                missing = hosted.required.intersection(hosted.absent)
                raise NotConnectedError([hosted.terms.entrants[entrant] for entrant in sorted(missing)])
            await asyncio.sleep(SEAT_POLL_S)

    async def connected_bots(self, instance: str, game: str, preset: str) -> tuple[str, ...]:
        sessions = self._server.node.registry.sessions.by_key
        self._report_misnamed(sessions.keys(), instance)
        return tuple(
            key[0]
            for key, session in sessions.items()
            if key == self._session_key(key[0], instance) and session.can_play(game, preset)
        )

    def _report_misnamed(self, connected: Collection[SessionKey], instance: str) -> None:
        """Report the remote bots that are connected only with another instance. No table waits for such bots."""
        started = {(name, own) for (name, _), own in self._own_instances.items()}
        for name, here in sorted(set(connected) - self._misnamed - started):
            if here != instance and self._session_key(name, instance) not in connected:
                self._misnamed.add((name, here))
                _echo(f"{name} is connected as {sanitize_for_terminal(here)}, expected CHEATARENA_INSTANCE={instance}")

    async def _try_open_table(self, table: SharedTable) -> HostedMatch | None:
        """Return None while a bot is being restarted or has no free seat."""
        node = self._server.node
        await node.resumed.wait()
        given_up = {name for name, instance in self._given_up if instance == table.instance}
        names = table.terms.entrants
        own = {name: self._session_key(name, table.instance)[1] for name in names}
        table = replace(table, away=table.away | given_up.intersection(names), own_instances=own)
        if self._missing_entrants(table) - table.away:
            return None
        try:
            hosted = node.registry.open_shared_table(table, node.now())
        except CapacityError:
            return None
        node.rearm_timer()
        return hosted

    def _missing_entrants(self, table: SharedTable) -> frozenset[str]:
        """Return those that are not connected, or no longer offer this game and preset."""
        sessions, terms = self._server.node.registry.sessions.by_key, table.terms
        by_name = {name: sessions.get(self._session_key(name, table.instance)) for name in terms.entrants}
        game, preset = terms.game.name, terms.preset
        return frozenset(
            name for name, session in by_name.items() if session is None or not session.can_play(game, preset)
        )

    def suspend_shared_tables(self) -> None:
        """Release the shared tables as they are. This happens before the bots are ended, so that no bot is blamed."""
        self._server.node.registry.release_shared_tables()

    async def usage(self) -> ResourceUsage:
        node = self._server.node
        running = MatchTotals()
        for hosted in node.registry.matches.values():
            running.add(hosted.table.referee.entrant_records)
        return measure_usage(node.ended.totals.decisions + running.decisions, self.bots.pids())

    async def report_progress(self) -> None:
        """Report finished games until cancelled, each once."""
        reported: Mapping[MatchId, int] = {}
        while True:
            await asyncio.sleep(PROGRESS_INTERVAL_S)
            if news := build_new_reports(self._server.node, reported):
                self._events.on_progress(tuple(news))
            reported = count_ended_games(self._server.node)

    def end_bots(self) -> None:
        """The bots get none of the usual grace."""
        for launcher in self._host.launchers:
            launcher.close(grace_s=0)

    async def _play_job(self, job: MatchJob, reports: list[MatchReport]) -> MatchJobResult:
        host = self._host
        stalls_before = len(host.stalls_us)
        async with launch_bots(host, job.players, JOIN_TIMEOUT_S, _echo, job.shown) as bots:
            report = await bots.play_match(job.order, reports, partial(self._events.on_match_started, job.order.key))
            # No bot has been told to end yet: a bot that has ended by now did so by itself.
            outputs = {name: bots.output_of(name) for name in bots.names}
            return MatchJobResult(report, outputs, tuple(bots.find_exits()), tuple(host.stalls_us[stalls_before:]))


def _log_error(error: Exception) -> None:
    log.error("a seat could not be given up", exc_info=error)


def _echo(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
