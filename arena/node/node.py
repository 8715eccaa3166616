"""Runs a node: its matches and sessions, and its reaction to a stalled loop or a slow disk."""

import asyncio
from collections.abc import Mapping, Sequence

import structlog

from arena.feed.match_feed import MatchFeed
from arena.match.ports import Journal
from arena.match.scalars import Instant
from arena.match.terms import Terms
from arena.node.admission import AdmissionControl
from arena.node.background_worker import BackgroundWorker
from arena.node.conditions_observer import ConditionsObserver
from arena.node.deadline_timer import READ_MARGIN_US, DeadlineTimer
from arena.node.disk_credit import credit_disk_wait
from arena.node.event_loop import STALL_THRESHOLD_US, NodeClock, StampingSelector
from arena.node.guarded_journal import GuardedJournal
from arena.node.inbox import Inbox
from arena.node.limits import Limits
from arena.node.match_registry import MatchRegistry
from arena.node.node_ports import NodeObservers, NodePorts, Sources
from arena.node.rate_limiter import RateLimiterCache
from arena.node.round_trip import Pinger
from arena.node.session import Session
from arena.node.session_registry import SessionRegistry
from arena.node.session_room import SessionRoom
from arena.node.spectator import Spectator
from arena.wire.game_codec import GameCodec
from arena.wire.proto_codec import ProtoCodec

log = structlog.get_logger(__name__)

SLOW_DISK_US = 3_000
"""A longer wait of prompts for the disk is credited to the match."""


class Node:
    """Holds what exists once per process. Runs in the loop that `selector` polls for."""

    def __init__(
        self,
        name: str,
        clock: NodeClock,
        selector: StampingSelector,
        journal: Journal,
        sources: Sources,
        limits: Limits,
        game_codecs: Mapping[str, GameCodec],
        observers: NodeObservers,
    ) -> None:
        """`name` differs with every start; `game_codecs` holds the codecs of the playable games by name.

        `observers` are notified of matches and measure the processes of bots.
        """
        self.name = name
        self.game_codecs = game_codecs
        self.now = clock.now
        self.limits = limits
        self.sessions: dict[tuple[str, str], Session] = {}
        self.spectators: set[Spectator] = set()
        self.standings = RateLimiterCache(limits.sessions, int(limits.standing_s * 1e6))
        self.admission = AdmissionControl(limits, clock.now)
        self.stalls_us: list[int] = []
        """Every stall of the loop that was credited, in microseconds."""
        self.frames = {"in": 0, "out": 0}
        """The number of bots' frames by direction."""
        self._selector = selector
        self._codecs = {name: ProtoCodec(codec) for name, codec in game_codecs.items()}
        self._shut_since = Instant(0)
        self._credited_to = Instant(0)
        """The instant up to which all lost time has been credited."""
        self._timer = DeadlineTimer(clock.now, self._do_what_is_due)
        self.journal = GuardedJournal(journal, clock.now, self)
        self.gate, self.resumed = self.journal.gate, self.journal.resumed
        self.inbox = Inbox(clock.now, asyncio.get_running_loop().call_soon, self.rearm_timer)
        seats = SessionRegistry()
        ports = NodePorts(
            journal,
            self._build_room,
            sources,
            limits.matches,
            limits.keeps_records,
            BackgroundWorker(self.resumed, self.rearm_timer),
            ConditionsObserver(clock.now, self.sessions, seats, selector, observers.processes),
            observers.matches,
        )
        self.registry = MatchRegistry(ports, seats)
        self._pinger = Pinger(self.sessions, clock.now)
        selector.add_stall_listener(self._on_stall)

    @property
    def open_streams(self) -> list[Session | Spectator]:
        """The open streams of bots and spectators."""
        return [*self.sessions.values(), *self.spectators]

    def arrival_stamp(self) -> Instant:
        """Return the stamp of a message that is read now; time stands still while the journal cannot be written."""
        return self._selector.arrival_stamp if self.resumed.is_set() else self._shut_since

    def close(self) -> None:
        """Wait for a running sync of the journal."""
        self.journal.close()

    def _build_room(self, number: int, terms: Terms, seeds: Sequence[bytes]) -> SessionRoom:
        return SessionRoom(number, MatchFeed(number, terms, seeds, self._codecs[terms.game.name], self.gate))

    # ---- what is due

    def rearm_timer(self) -> None:
        """Set the timer for the next deadline. Called after every input."""
        due = self.registry.timers.next_due
        if due is None or not self.resumed.is_set():
            return
        released_upto = self.gate.released_upto
        if released_upto is None or due <= released_upto:
            self._timer.set(due)  # else its prompt may not be sent yet; `on_journal_synced` calls again

    def _do_what_is_due(self) -> None:
        if self.resumed.is_set():
            now = self.now()
            try:
                self.registry.tick(self._tick_limit(now), now)
            finally:
                self.rearm_timer()

    def _tick_limit(self, now: Instant) -> Instant:
        """Return the latest deadline that may take effect: later answers or prompts may still be on their way."""
        upto = Instant(min(now - READ_MARGIN_US, self._selector.arrival_stamp - 1))
        if self.gate.released_upto is not None:
            upto = min(upto, self.gate.released_upto)
        return upto if self.inbox.oldest_stamp is None else min(upto, Instant(self.inbox.oldest_stamp - 1))

    # ---- time that is credited

    def _on_stall(self, gap_us: int) -> None:
        """Credit a stall that ends now, except for time already credited for a pause of the journal."""
        now = self.now()
        gap_us = min(gap_us, now - self._credited_to)
        if self.registry.matches and self.resumed.is_set() and gap_us > STALL_THRESHOLD_US:
            self.stalls_us.append(gap_us)
            log.warning("loop stalled", gap_ms=gap_us // 1000, matches=len(self.registry.matches))
            self._credit_time(gap_us, now)

    def _credit_time(self, us: int, now: Instant) -> None:
        self.registry.credit(us, now)
        self._credited_to = now

    def on_journal_synced(self, since: Instant, waited_us: int) -> None:
        """Credit prompts that were handled after `since` and waited `waited_us` for the disk."""
        if waited_us > SLOW_DISK_US:
            now, matches = self.now(), self.registry.matches
            waiting = {number for number, hosted in matches.items() if not hosted.is_running}
            for number in (waiting | self.journal.synced_matches()) & matches.keys():
                credit_disk_wait(matches[number], since, now)
        self.rearm_timer()

    def on_journal_fault(self) -> None:
        """Stop all clocks and accept no input until the journal can be written again."""
        self.inbox.is_shut = True
        self._shut_since = max(self._selector.returned, self._credited_to)  # a failed write may take long

    def on_journal_recovered(self) -> None:
        """Credit the time during which the journal could not be written, and resume."""
        now = self.now()
        self._credit_time(now - self._shut_since, now)
        log.info("journal is written again", paused_ms=(now - self._shut_since) // 1000)
        self.inbox.reopen()
        self.rearm_timer()
