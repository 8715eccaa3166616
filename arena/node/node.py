"""A node at work: its matches and sessions, and what to do when the loop or the disk stands still."""

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
"""What questions wait for the disk beyond this is given back to those who are asked."""


class Node:
    """Everything that is one per process. Lives in the loop that `selector` polls for."""

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
        """`name` is new with every start. `game_codecs`: the games that can be played here, by name.

        `observers` are told of matches and know the processes of bots.
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
        """Every stall of the loop that was credited, microseconds."""
        self.frames = {"in": 0, "out": 0}
        """Frames of bots by direction."""
        self._selector = selector
        self._codecs = {name: ProtoCodec(codec) for name, codec in game_codecs.items()}
        self._shut_since = Instant(0)
        self._credited_to = Instant(0)
        """Up to this instant everything that had to be credited is."""
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
        self.hall = MatchRegistry(ports, seats)
        self._pinger = Pinger(self.sessions, clock.now)
        selector.add_stall_listener(self._on_stall)

    @property
    def open_streams(self) -> list[Session | Spectator]:
        """Those of bots and spectators."""
        return [*self.sessions.values(), *self.spectators]

    def arrival_stamp(self) -> Instant:
        """The stamp for what is being read now; while the journal cannot be written time stands still."""
        return self._selector.arrival_stamp if self.resumed.is_set() else self._shut_since

    def close(self) -> None:
        """Wait for the sync that runs, if one does."""
        self.journal.close()

    def _build_room(self, number: int, terms: Terms, seeds: Sequence[bytes]) -> SessionRoom:
        return SessionRoom(number, MatchFeed(number, terms, seeds, self._codecs[terms.game.name], self.gate))

    # ---- what is due

    def rearm_timer(self) -> None:
        """Set the timer for what is due next. Called after every input."""
        due = self.hall.timers.next_due
        if due is None or not self.resumed.is_set():
            return
        told_upto = self.gate.released_upto
        if told_upto is None or due <= told_upto:
            self._timer.set(due)  # else it may be of a question that has not left; `on_journal_synced` looks again

    def _do_what_is_due(self) -> None:
        if self.resumed.is_set():
            now = self.now()
            try:
                self.hall.tick(self._tick_limit(now), now)
            finally:
                self.rearm_timer()

    def _tick_limit(self, now: Instant) -> Instant:
        """No deadline after this instant may be acted on yet: its answer, or its question, may be on the way."""
        upto = Instant(min(now - READ_MARGIN_US, self._selector.arrival_stamp - 1))
        if self.gate.released_upto is not None:
            upto = min(upto, self.gate.released_upto)
        return upto if self.inbox.oldest_stamp is None else min(upto, Instant(self.inbox.oldest_stamp - 1))

    # ---- what is nobody's time

    def _on_stall(self, gap_us: int) -> None:
        """The loop stood still until now. What of it was credited with a pause of the journal is not credited again."""
        now = self.now()
        gap_us = min(gap_us, now - self._credited_to)
        if self.hall.matches and self.resumed.is_set() and gap_us > STALL_THRESHOLD_US:
            self.stalls_us.append(gap_us)
            log.warning("loop stalled", gap_ms=gap_us // 1000, matches=len(self.hall.matches))
            self._credit_time(gap_us, now)

    def _credit_time(self, us: int, now: Instant) -> None:
        self.hall.credit(us, now)
        self._credited_to = now

    def on_journal_synced(self, since: Instant, waited_us: int) -> None:
        """What was handled after an instant leaves now, after having waited so long for the disk."""
        if waited_us > SLOW_DISK_US:
            now, bookings = self.now(), self.hall.matches
            waiting = {number for number, booking in bookings.items() if not booking.is_running}
            for number in (waiting | self.journal.synced_matches()) & bookings.keys():
                credit_disk_wait(bookings[number], since, now)
        self.rearm_timer()

    def on_journal_fault(self) -> None:
        """Stop all clocks and take nothing in until the journal can be written again."""
        self.inbox.is_shut = True
        self._shut_since = max(self._selector.returned, self._credited_to)  # the failed write may have taken long

    def on_journal_recovered(self) -> None:
        """The journal can be written again: what that took is nobody's time."""
        now = self.now()
        self._credit_time(now - self._shut_since, now)
        log.info("journal is written again", paused_ms=(now - self._shut_since) // 1000)
        self.inbox.reopen()
        self.rearm_timer()
