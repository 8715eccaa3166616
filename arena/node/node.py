"""A node at work: the hall, its gate, one timer, and what to do when the loop or the disk stands still."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import structlog

from arena.errors import StoreError
from arena.feed.gate import Gate
from arena.feed.match_feed import MatchFeed
from arena.feed.synced_gate import SyncedGate
from arena.match.inputs import match_number_of
from arena.match.ports import Journal, ResultT, SyncedJournal
from arena.match.referee import Referee
from arena.match.terms import Terms
from arena.node.admission import AdmissionControl
from arena.node.conditions_observer import ConditionsObserver
from arena.node.disk_credit import credit_disk_wait
from arena.node.event_loop import STALL_THRESHOLD_US, NodeClock, StampingSelector
from arena.node.hosted_match import BotSession
from arena.node.inbox import Inbox
from arena.node.journal_syncer import JournalSyncer
from arena.node.limits import Limits
from arena.node.match_registry import MatchRegistry
from arena.node.node_ports import NodePorts, Sources
from arena.node.rate_limiter import RateLimiterCache
from arena.node.session import Session
from arena.node.spectator import Spectator
from arena.wire.game_codec import GameCodec
from arena.wire.proto_codec import ProtoCodec

log = structlog.get_logger(__name__)

READ_MARGIN_US = 3_000
"""A deadline is acted on so much later, so that what reached the machine in time has been read; answers are judged by
their stamp all the same."""
READ_MARGIN_PASSES = 2
"""And so many loop passes later."""
PING_INTERVAL_S = 10.0
"""How often round trips are measured."""
JOURNAL_RETRY_INTERVAL_S = 0.2
"""How often a journal that could not be written is tried again."""
SLOW_DISK_US = 3_000
"""What questions wait for the disk beyond this is given back to those who are asked."""


class SessionFeed(MatchFeed):
    """The audience of one table, whose guests are sessions."""

    def admit(self, referee: Referee, entrant: int, guest: BotSession, after: int | None) -> None:
        """Connect a session."""
        assert isinstance(guest, Session)
        guest.hold_seat(self.number, entrant)
        self.attach(referee, entrant, guest.outbox, after)

    def dismiss(self, entrant: int, guest: BotSession) -> None:
        """Disconnect a session."""
        assert isinstance(guest, Session)
        self.detach(entrant, guest.outbox)
        guest.release_seat(self.number, entrant)


class _FlushWaiter:
    """Is told nothing but that the gate has opened."""

    def __init__(self, waiting: asyncio.Future[None]) -> None:
        self._waiting = waiting

    def seal(self) -> None:
        """There is one thing to be told."""

    def release(self) -> None:
        """What was recorded is kept."""
        if not self._waiting.done():
            self._waiting.set_result(None)


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
    ) -> None:
        """`name` is new with every start; `game_codecs`: the games that can be played here, by name."""
        self.now = clock.now
        self.limits = limits
        self.sessions: dict[tuple[str, str], Session] = {}
        self.standings = RateLimiterCache(limits.sessions, int(limits.standing_s * 1e6))
        self.admission = AdmissionControl(limits, clock.now)
        self.name = name
        self.stalls_us: list[int] = []
        """Every stall of the loop that was credited, microseconds."""
        self.frames = {"in": 0, "out": 0}
        """Frames of bots by direction."""
        self.spectators: set[Spectator] = set()
        self.game_codecs = game_codecs
        self._codecs = {name: ProtoCodec(codec) for name, codec in game_codecs.items()}
        self._selector = selector
        self._loop = asyncio.get_running_loop()
        self._disk = JournalSyncer(journal) if isinstance(journal, SyncedJournal) else None
        self.gate = self._make_gate(journal)
        background = self._run_in_thread
        self.witness = ConditionsObserver(self.now, self.sessions, selector)
        furnishing = NodePorts(
            journal, self._build_feed, sources, limits.matches, limits.keeps_records, background, self.witness
        )
        self.hall = MatchRegistry(furnishing)
        self.witness.guests = self.hall.sessions
        self.inbox = Inbox(self.now, self._loop.call_soon, self.rearm_timer)
        self.resumed = asyncio.Event()
        self.resumed.set()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="shuffler")
        self._works: set[asyncio.Task[None]] = set()
        self._waiting: set[asyncio.Future[None]] = set()
        """Whoever wants to know when the journal has everything."""
        self._shut_since = 0
        self._credited_to = 0
        """Up to this instant everything that had to be credited is."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due = 0
        selector.on_stall = self._on_stall
        self.gate.on_fault, self.gate.on_reopened = self._on_journal_fault, self._on_journal_recovered
        self._loop.call_later(PING_INTERVAL_S, self._ping_sessions)

    def _call_after_pass(self, act: Callable[[], None]) -> None:
        """Run after one more loop pass: what has arrived meanwhile is dealt with first and shares the frames.

        Without that pass frames hold a third as much, and cost more than what is in them; with more passes bots wait.
        """
        self._loop.call_soon(self._loop.call_soon, act)

    def _make_gate(self, journal: Journal) -> Gate:
        if self._disk is None:
            return Gate(journal, self._call_after_pass)
        gate = SyncedGate(journal, self._call_after_pass, self._disk.sync, self.now)
        gate.on_synced = self._on_synced
        return gate

    def arrival_stamp(self) -> int:
        """The stamp for what is being read now; while the journal cannot be written time stands still."""
        return self._selector.arrival_stamp if self.resumed.is_set() else self._shut_since

    def rearm_timer(self) -> None:
        """Set the timer for what is due next. Called after every input."""
        due = self.hall.timers.next_due
        if due is None or not self.resumed.is_set() or (self._timer is not None and self._timer_due <= due):
            return
        told_upto = self.gate.released_upto
        if told_upto is not None and due > told_upto:
            return  # it may belong to a question that has not left yet; `_kept` looks again
        if self._timer is not None:
            self._timer.cancel()
        self._timer_due = due
        delay = max(0, due + READ_MARGIN_US - self.now()) / 1e6
        self._timer = self._loop.call_later(delay, self._tick_after_reads, READ_MARGIN_PASSES)

    def _tick_after_reads(self, passes: int) -> None:
        """Let the loop read what has arrived before anything is judged missing."""
        if passes:
            self._loop.call_soon(self._tick_after_reads, passes - 1)
            return
        self._timer = None
        if self.resumed.is_set():
            now = self.now()
            try:
                self.hall.tick(self._tick_limit(now), now)
            finally:
                self.rearm_timer()

    def _tick_limit(self, now: int) -> int:
        """No deadline after this instant may be acted on yet: its answer, or its question, may be on the way."""
        upto = min(now - READ_MARGIN_US, self._selector.arrival_stamp - 1)
        if self.gate.released_upto is not None:
            upto = min(upto, self.gate.released_upto)
        return upto if self.inbox.oldest_stamp is None else min(upto, self.inbox.oldest_stamp - 1)

    def _run_in_thread(self, work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
        """Do work that takes long away from the loop, and go on with its result when the journal can be written."""
        task = self._loop.create_task(self._run_work(work, then))
        self._works.add(task)
        task.add_done_callback(self._on_work_done)

    def _on_work_done(self, task: asyncio.Task[None]) -> None:
        self._works.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            log.error("work beside the loop failed", exc_info=fault)

    async def _run_work(self, work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
        made = await self._loop.run_in_executor(self._thread, work)
        await self.resumed.wait()
        then(made)
        self.rearm_timer()

    def _ping_sessions(self) -> None:
        """Measure every session's round trip by our own clock; a bot's clock is never believed."""
        for session in self.sessions.values():
            session.ping(self.now())
        self._loop.call_later(PING_INTERVAL_S, self._ping_sessions)

    def _build_feed(self, number: int, terms: Terms, seeds: Sequence[bytes]) -> SessionFeed:
        return SessionFeed(number, terms, seeds, self._codecs[terms.game.name], self.gate)

    def _on_stall(self, gap_us: int) -> None:
        """The loop stood still until now. What of it was credited with a pause of the journal is not credited again."""
        now = self.now()
        gap_us = min(gap_us, now - self._credited_to)
        if self.hall.matches and self.resumed.is_set() and gap_us > STALL_THRESHOLD_US:
            self.stalls_us.append(gap_us)
            log.warning("loop stalled", gap_ms=gap_us // 1000, matches=len(self.hall.matches))
            self._credit_time(gap_us, now)

    def _credit_time(self, us: int, now: int) -> None:
        self.hall.credit(us, now)
        self._credited_to = now

    # ---- the journal is synced

    def _on_synced(self, since: int, waited_us: int) -> None:
        """What was dealt with after an instant leaves now, after having waited so long for the disk."""
        assert self._disk is not None
        if waited_us > SLOW_DISK_US:
            now, bookings = self.now(), self.hall.matches
            waiting = {number for number, booking in bookings.items() if not booking.is_running}
            for number in waiting.union(map(match_number_of, self._disk.journal.last_sync_records)) & bookings.keys():
                credit_disk_wait(bookings[number], since, now)
        self.rearm_timer()

    async def wait_until_journaled(self) -> None:
        """Return when the journal has everything so far. Raises StoreError where it cannot be written at the moment."""
        waiting: asyncio.Future[None] = self._loop.create_future()
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)
        self.gate.release_after_flush(_FlushWaiter(waiting))
        if self.gate.fault is not None:
            self._fail_waiters()
        await waiting

    def _fail_waiters(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(StoreError("the journal cannot be written at the moment"))

    def close(self) -> None:
        """Wait for the sync that runs, if one does."""
        if self._disk is not None:
            self._disk.close()

    # ---- the journal cannot be written

    def _on_journal_fault(self) -> None:
        """Stop all clocks and take nothing in until the journal can be written again."""
        self._fail_waiters()
        if self.resumed.is_set():
            self.resumed.clear()
            self.inbox.is_shut = True
            # The write that failed may have taken long itself.
            self._shut_since = max(self._selector.returned, self._credited_to)
            log.error("journal cannot be written, matches pause", fault=str(self.gate.fault))
            self._loop.call_later(JOURNAL_RETRY_INTERVAL_S, self._retry_journal)

    def _retry_journal(self) -> None:
        if self.gate.fault is not None:
            self.gate.open()
            self._loop.call_later(JOURNAL_RETRY_INTERVAL_S, self._retry_journal)

    def _on_journal_recovered(self) -> None:
        """The journal can be written again: what that took is nobody's time."""
        now = self.now()
        self._credit_time(now - self._shut_since, now)
        log.info("journal is written again", paused_ms=(now - self._shut_since) // 1000)
        self.resumed.set()
        self.inbox.reopen()
        self.rearm_timer()
