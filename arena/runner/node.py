"""The process of a node: `python -P -m arena.runner.node SOCKET`. It does what its runner asks, and ends with it.

It opens no store. What it is told on the line it believes; what it writes is its journal and its bots' output.
"""

import asyncio
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import replace
from functools import partial
from typing import NoReturn

import structlog

from arena.app import Keeping, RunningNode, ServerConfig, run_node, serving_node
from arena.errors import BotGameError, CapacityError
from arena.match.booking import Booking, GuestKey
from arena.match.ports import MatchId
from arena.match.shared import SharedTable
from arena.rpc.client import MatchReport, Organizer
from arena.rpc.loop import NodeClock, StampingSelector
from arena.runner.channel import Line
from arena.runner.crew import Crew, launched
from arena.runner.host import ORGANIZER, Host
from arena.runner.job import Job, Performance, Setup, Usage
from arena.runner.player import Player
from arena.runner.remote import RemoteDeals, RemoteResults, RemoteTokens
from arena.runner.reports import game_counts, new_reports
from arena.runner.roster import Roster
from arena.runner.using import used
from arena.runner.watch import watching
from arena.store.identities import Scope
from arena.store.lock import attend
from arena.store.signing import ReceiptKey
from arena.telemetry import set_up_logging

log = structlog.get_logger(__name__)

JOIN_S = 60.0
"""Seconds for a bot that somebody else starts; a node has none."""
PROGRESS_S = 0.25
"""How often the runner is told how matches stand."""
PAST_US = 30 * 24 * 3_600_000_000
"""A match that was cut off elsewhere and goes on here may have begun so long ago."""
COMING_BACK_S = 30.0
"""So long a table waits for a bot that is being started again before it begins."""
SEAT_S = 0.1
"""How often one looks whether a table can be opened."""
ALONE = 75
"""The exit code of a node whose runner has gone."""


class NodeAtWork:
    """What the runner may ask and tell."""

    def __init__(self, clock: NodeClock, selector: StampingSelector, stack: AsyncExitStack) -> None:
        """`stack` closes what was opened, last things first."""
        self._parts = clock, selector
        self._stack = stack
        self._host: Host | None = None
        self._playing: dict[str, asyncio.Task[Performance]] = {}
        """By key of the order."""
        self.stopped = asyncio.Event()
        self.line: Line
        self._server: RunningNode
        self._roster: Roster
        self._given_up: set[GuestKey] = set()
        """Who does not come back."""
        self._decisions = 0
        """Of the matches that are over."""
        self._watching: asyncio.Task[None]

    async def open(self, setup: Setup) -> str:
        """Listen. Gives the address. Raises StoreError, JournalError, PortBusyError."""
        set_up_logging(setup.log_level)
        self._stack.enter_context(closing(attend(setup.data)))
        results, deals, tokens = RemoteResults(self.line), RemoteDeals(self.line), RemoteTokens(self.line)
        signer = ReceiptKey(setup.receipt_key)
        kept = Keeping(results, deals, tokens, signer, setup.data / "journals", setup.name)
        server = await self._stack.enter_async_context(
            serving_node(ServerConfig(setup.data, port=setup.port, grace_s=0), kept, *self._parts)
        )
        secret = await tokens.make(ORGANIZER, Scope.ORGANIZE)
        organizer = await self._stack.enter_async_context(Organizer(server.address, secret))
        self._host = Host(server.address, organizer, tokens, setup.data, server)
        self._server = server
        hall = server.node.hall
        hall.on_ended = partial(self._count, hall.on_ended)
        await self._stack.enter_async_context(watching(server, self._host.launchers))
        self._roster = Roster(self._host, partial(self.line.tell, "lost"), _echo)
        self._stack.push_async_callback(self._roster.close)
        self._watching = asyncio.ensure_future(self._roster.watch())
        return server.address

    async def play(self, job: Job) -> Performance:
        """Play a match with bots of its own; one that is cancelled is reported as it stands.

        Raises BotStartError, EnvironmentFaultError, and RequestError where the match is refused.
        """
        reports: list[MatchReport] = []
        task = self._playing[job.order.key] = asyncio.ensure_future(self._perform(job, reports))
        await asyncio.wait([task])
        del self._playing[job.order.key]
        return Performance(next(iter(reports), None)) if task.cancelled() else task.result()

    def cancel(self, key: str) -> None:
        """Have a job end now."""
        if (task := self._playing.get(key)) is not None:
            task.cancel()

    async def start_bot(self, player: Player, instance: str, game: str, preset: str) -> None:
        """Have a bot stay here; return when it has connected. Raises BotStartError, also if it does not play this."""
        self._given_up.discard((player.name, instance))
        await self._roster.start(player, instance, JOIN_S)
        guest = self._server.node.hall.guests.by_key.get((player.name, instance))
        if guest is not None and not guest.plays(game, preset):
            await self._roster.stop(player.name)
            raise BotGameError(f"{player.name} does not play {game}/{preset}")

    async def stop_bot(self, name: str) -> None:
        """End a bot that stays here."""
        await self._roster.stop(name)

    async def give_up(self, name: str, instance: str) -> None:
        """A bot that stayed here does not come back: its seats are given up, and no table waits for it."""
        self._given_up.add((name, instance))
        node = self._server.node
        await node.resumed.wait()
        now = node.now()
        node.inbox.enter(now, partial(node.hall.give_up, (name, instance), now, now), _report)

    async def sit(self, table: SharedTable) -> None:
        """Play a table of a shared deal with bots that stay here; return when it is over and kept.

        Who is not here is waited for, and forfeits if it does not come. Raises JournalError for records that are none.
        """
        self._server.archivist.expect(table.match_id)
        away_at = time.monotonic() + COMING_BACK_S
        while not await self._is_open(table):
            await asyncio.sleep(SEAT_S)
            if time.monotonic() > away_at:
                table = replace(table, away=table.away | self._unable(table))
        await self._server.archivist.kept(table.match_id)

    async def _is_open(self, table: SharedTable) -> bool:
        """Open a table; not while somebody is being started again, or has no seat free."""
        node = self._server.node
        await node.resumed.wait()
        given_up = {name for name, instance in self._given_up if instance == table.instance}
        table = replace(table, away=table.away | given_up.intersection(table.terms.entrants))
        if self._unable(table) - table.away:
            return False
        try:
            node.hall.share(table, node.now())
        except CapacityError:
            return False
        node.rewind()
        return True

    def _unable(self, table: SharedTable) -> frozenset[str]:
        """Who is not here, or does not say any more that it plays this."""
        guests, terms = self._server.node.hall.guests.by_key, table.terms
        here = {name: guests.get((name, table.instance)) for name in terms.entrants}
        game, preset = terms.game.name, terms.preset
        return frozenset(name for name, guest in here.items() if guest is None or not guest.plays(game, preset))

    def leave(self) -> None:
        """Stop where everything stands, before the bots are ended: nobody shall be blamed for that."""
        if self._host is not None:
            self._server.node.hall.leave_shared()

    async def usage(self) -> Usage:
        """What this node and the bots that stay here have used."""
        running = self._server.node.hall.bookings.values()
        decisions = self._decisions + sum(map(_decisions_of, running))
        return used(decisions, self._roster.pids())

    def _count(self, ended: Callable[[Booking], None], booking: Booking) -> None:
        self._decisions += _decisions_of(booking)
        ended(booking)

    async def tell_progress(self) -> None:
        """Tell the runner now and then which games are over, each once."""
        told: Mapping[MatchId, int] = {}
        while True:
            await asyncio.sleep(PROGRESS_S)
            server = None if self._host is None else self._host.server
            if server is not None:
                if news := new_reports(server.node, told):
                    self.line.tell("progress", news)
                told = game_counts(server.node)

    def abandon(self) -> NoReturn:
        """The runner has gone: end the bots and this process before anybody is told anything more.

        The journal has all that was told so far; whoever opens the store next closes the matches from there.
        """
        for launcher in [] if self._host is None else self._host.launchers:
            launcher.close(grace_s=0)
        os._exit(ALONE)

    async def _perform(self, job: Job, reports: list[MatchReport]) -> Performance:
        host = self._host
        assert host is not None, "open comes first"
        stalls_before = len(host.stalls_us)
        async with launched(host, job.players, JOIN_S, _echo, job.shown) as crew:
            report = await crew.play(job.order, reports, partial(self.line.tell, "began", job.order.key))
            return _performance(report, crew, host.stalls_us[stalls_before:])


def _decisions_of(booking: Booking) -> int:
    return sum(conduct.decision_count for conduct in booking.table.referee.conducts)


def _performance(report: MatchReport, crew: Crew, stalls_us: Sequence[int]) -> Performance:
    """How a match went. To be asked before its bots are ended."""
    outputs = {name: crew.output_of(name) for name in crew.names}
    return Performance(report, outputs, tuple(crew.losses()), tuple(stalls_us))


def _report(fault: Exception) -> None:
    """Log a fault of ours in what nobody waits for."""
    log.error("a seat could not be given up", exc_info=fault)


def _echo(line: str) -> None:
    """Show what a bot writes."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


async def _work(clock: NodeClock, selector: StampingSelector) -> int:
    streams = await asyncio.open_connection(sock=socket.socket(fileno=int(sys.argv[1])))
    async with AsyncExitStack() as stack:
        node = NodeAtWork(clock, selector, stack)
        node.line = Line(
            streams,
            {
                "open": node.open,
                "play": node.play,
                "start_bot": node.start_bot,
                "stop_bot": node.stop_bot,
                "give_up": node.give_up,
                "sit": node.sit,
                "usage": node.usage,
            },
            {"cancel": node.cancel, "stop": node.stopped.set},
        )
        listening = asyncio.ensure_future(node.line.work())
        listening.add_done_callback(lambda task: None if task.cancelled() else node.abandon())
        telling = asyncio.ensure_future(node.tell_progress())
        await node.stopped.wait()
        node.leave()
        telling.cancel()
    os._exit(0)  # nothing is left that could be lost, and hanging up would look like a runner that has gone


if __name__ == "__main__":
    sys.exit(run_node(_work, PAST_US))
