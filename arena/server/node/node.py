"""Joins the parts of a node: its matches and sessions, its timer, and its journal, which may be slow or fail."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.log_lines import get_logger
from arena.match.feed.match_feed import MatchFeed
from arena.match.referee.ports import Journal
from arena.match.referee.scalars import Instant, SessionKey
from arena.match.referee.terms import Terms
from arena.server.node.admission import AdmissionControl
from arena.server.node.background_work import BackgroundWorker
from arena.server.node.call_totals import CallTotals
from arena.server.node.conditions_observer import ConditionsObserver
from arena.server.node.deals import Sources
from arena.server.node.decisions import DecisionReader
from arena.server.node.derived_instances import DerivedInstances
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.node.guarded_journal import GuardedJournal
from arena.server.node.inbox import Inbox
from arena.server.node.limits import Limits
from arena.server.node.line_watch import LineWatch, Pinger
from arena.server.node.match_builder import MatchBuilder
from arena.server.node.match_registry import MatchRegistry
from arena.server.node.match_totals import EndedMatches
from arena.server.node.observers import NodeObservers
from arena.server.node.rate_limits import RateLimiterCache
from arena.server.node.session import Session
from arena.server.node.session_registry import SessionRegistry
from arena.server.node.spectator import Spectator
from arena.server.node.time_credits import SAMPLE_LEADS_US, CoreWaits, StallCredit
from arena.server.node.timers import READ_MARGIN_US, DeadlineTimer
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.proto_codec import ProtoCodec

log = get_logger(__name__)

SHORT_TURN_US = 150
"""The results of a turn of the inbox are sent at once if the turn took at most this long.

During a longer turn, other frames have probably arrived, and their results can go into the same outgoing frames.
With one match, a decision takes the server 4 % less time than if all results waited.
"""
SLOW_DISK_US = 3_000
"""A longer wait of prompts for the disk is credited to the match."""


class Node:
    """The parts that exist once in a process. Runs in the loop that polls with `selector`."""

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
        """`name` is different at every start. `game_codecs` has the codecs of the playable games by name.

        `observers` are notified of matches and measure the processes of bots.
        """
        self.name = name
        self.game_codecs = game_codecs
        self.decision_readers: Mapping[str, DecisionReader] = {
            name: DecisionReader(codec, limits) for name, codec in game_codecs.items()
        }
        self.now = clock.now
        self._started = clock.now()
        self.limits = limits
        self.sessions: dict[SessionKey, Session] = {}
        self.spectators: set[Spectator] = set()
        self.standings = RateLimiterCache(limits.sessions, int(limits.standing_s * 1e6))
        self.admission = AdmissionControl(limits, clock.now)
        self.frames = {"in": 0, "out": 0}
        """The number of bots' frames by direction."""
        self.calls = CallTotals()
        self.ended = EndedMatches()
        self._processes = observers.processes
        self._selector = selector
        self._codecs = {name: ProtoCodec(codec) for name, codec in game_codecs.items()}
        self._shut_since = Instant(0)
        """While the journal cannot be written: the instant of the failure."""
        self._timer = self._build_timer(observers.core_waits)
        self.journal = GuardedJournal(journal, clock.now, self)
        self.gate, self.resumed = self.journal.gate, self.journal.resumed
        self.inbox = Inbox(clock.now, asyncio.get_running_loop().call_soon, self.gate.begin_turn, self._end_turn)
        self.registry = self._build_registry(journal, sources, observers)
        self._pinger = Pinger(self.sessions, clock.now)
        self.instances = DerivedInstances(
            self.sessions, self.registry.sessions, self.standings, limits.sessions_a_token, clock.now
        )
        self.line_watch = LineWatch(self.sessions, self.registry, self.instances)
        self._stall_credit = StallCredit(self.registry.matches, self.registry.credit, clock.now, self.resumed)
        self.stalls_us = self._stall_credit.stalls_us
        """Stalls that were credited, in microseconds."""
        selector.add_stall_listener(self._stall_credit.on_stall)
        if observers.core_waits is not None:
            selector.add_stall_listener(observers.core_waits.on_stall)

    @property
    def uptime_us(self) -> int:
        """Microseconds since this node was made. Its clock may have begun earlier."""
        return self.now() - self._started

    @property
    def open_streams(self) -> list[Session | Spectator]:
        return [*self.sessions.values(), *self.spectators]

    def has_started(self, name: str) -> bool:
        """Return whether the arena itself started the bot of this name; if not, the bot is remote."""
        return self._processes is not None and self._processes.has_started(name)

    def arrival_stamp(self) -> Instant:
        """Return the stamp of a message that is read now; it stands still while the journal cannot be written."""
        return self._selector.arrival_stamp if self.resumed.is_set() else self._shut_since

    def close(self) -> None:
        """Wait for a running sync of the journal."""
        self.journal.close()

    def _build_timer(self, waits: CoreWaits | None) -> DeadlineTimer:
        """Waits for a core are sampled if the system reports them."""
        if waits is None:
            return DeadlineTimer(self.now, self._tick_matches)
        return DeadlineTimer(self.now, self._tick_matches, SAMPLE_LEADS_US, waits.sample)

    def _build_registry(self, journal: Journal, sources: Sources, observers: NodeObservers) -> MatchRegistry:
        seats = SessionRegistry()
        builder = MatchBuilder(
            journal,
            self._build_feed,
            sources,
            self.limits,
            BackgroundWorker(self.resumed, self.rearm_timer),
            ConditionsObserver(self.now, self.sessions, seats, self._selector, observers.processes),
        )
        return MatchRegistry(builder, replace(observers, matches=[*observers.matches, self.ended]), seats)

    def _build_feed(self, number: int, terms: Terms, seeds: Sequence[bytes]) -> MatchFeed:
        return MatchFeed(number, terms, seeds, self._codecs[terms.game.name], self.gate)

    def _end_turn(self, took_us: int) -> None:
        """Set the timer for what the inbox has just handled, and send its results if the turn was short."""
        self.rearm_timer()
        self.gate.end_turn(is_short=took_us <= SHORT_TURN_US)

    # ---- what is due

    def rearm_timer(self) -> None:
        """Set the timer for the next deadline. Called after every input."""
        due = self.registry.timers.next_due
        if due is None or not self.resumed.is_set():
            return
        released_upto = self.gate.released_upto
        if released_upto is None or due <= released_upto:
            self._timer.set(due)  # otherwise the prompt may not be sent yet; `on_journal_synced` calls this again

    def _tick_matches(self) -> None:
        """Act on the deadlines that have passed, except those whose prompts or answers may still be on their way."""
        if not self.resumed.is_set():
            return
        now = self.now()
        upto = Instant(min(now - READ_MARGIN_US, self._selector.arrival_stamp - 1))
        if self.gate.released_upto is not None:
            upto = min(upto, self.gate.released_upto)
        if self.inbox.oldest_stamp is not None:
            upto = min(upto, Instant(self.inbox.oldest_stamp - 1))
        try:
            self.registry.tick(upto, now)
        finally:
            self.rearm_timer()

    # ---- the journal

    def on_journal_synced(self, since: Instant, waited_us: int) -> None:
        """Credit the prompts that were issued after `since` if they waited long for the disk."""
        if waited_us > SLOW_DISK_US:
            self.registry.credit_disk_wait(self.journal.synced_matches(), since, self.now())
        self.rearm_timer()

    def on_journal_fault(self) -> None:
        """Accept no input until the journal can be written again; the time until then will be credited."""
        self.inbox.is_shut = True
        self._shut_since = max(self._selector.returned, self._stall_credit.credited_to)  # a failed write may take long

    def on_journal_recovered(self) -> None:
        """Credit the time during which the journal could not be written, and accept input again."""
        now = self.now()
        self._stall_credit.credit(now - self._shut_since, now)
        log.info("journal is written again", paused_ms=(now - self._shut_since) // 1000)
        self.inbox.reopen()
        self.rearm_timer()
