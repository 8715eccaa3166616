"""The journal of a node with its gate: synced in the background, tried again while it cannot be written."""

import asyncio
from collections.abc import Callable
from typing import Protocol

import structlog

from arena.errors import StoreError
from arena.feed.gate import Gate
from arena.feed.synced_gate import SyncedGate
from arena.match.inputs import match_number_of
from arena.match.ports import Journal, SyncedJournal
from arena.match.scalars import Instant
from arena.node.journal_syncer import JournalSyncer

log = structlog.get_logger(__name__)

JOURNAL_RETRY_INTERVAL_S = 0.2
"""How often a journal that could not be written is tried again."""


class JournalObserver(Protocol):
    """Is told how the journal fares."""

    def on_journal_fault(self) -> None:
        """It cannot be written: nothing may be taken in."""

    def on_journal_recovered(self) -> None:
        """It can be written again. Told before anything leaves."""

    def on_journal_synced(self, since: Instant, waited_us: int) -> None:
        """What was handled after an instant leaves now, after having waited so long for the disk."""


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


class GuardedJournal:
    """One per node. Belongs to the running loop."""

    def __init__(self, journal: Journal, clock: Callable[[], Instant], observer: JournalObserver) -> None:
        """`clock` gives microseconds."""
        self._observer = observer
        self._loop = asyncio.get_running_loop()
        self._syncer = JournalSyncer(journal) if isinstance(journal, SyncedJournal) else None
        self._waiting: set[asyncio.Future[None]] = set()
        """Those who want to know when the journal has everything."""
        self.resumed = asyncio.Event()
        """Set unless the journal cannot be written."""
        self.resumed.set()
        self.gate = (
            Gate(journal, self._call_after_pass, on_fault=self._pause, on_reopened=self._resume)
            if self._syncer is None
            else SyncedGate(
                journal,
                self._call_after_pass,
                self._syncer.sync,
                clock,
                on_fault=self._pause,
                on_reopened=self._resume,
                on_synced=observer.on_journal_synced,
            )
        )

    def _call_after_pass(self, act: Callable[[], None]) -> None:
        """Run after one more loop pass: what has arrived meanwhile is handled first and shares the frames.

        Without that pass frames hold a third as much, and cost more than what is in them; with more passes bots wait.
        """
        self._loop.call_soon(self._loop.call_soon, act)

    def synced_matches(self) -> set[int]:
        """The numbers of the matches that the latest sync had records of."""
        return set() if self._syncer is None else set(map(match_number_of, self._syncer.journal.last_sync_records))

    async def wait_until_flushed(self) -> None:
        """Return when the journal has everything so far. Raises StoreError where it cannot be written at the moment."""
        waiting: asyncio.Future[None] = self._loop.create_future()
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)
        self.gate.release_after_flush(_FlushWaiter(waiting))
        if self.gate.fault is not None:
            self._fail_waiters()
        await waiting

    def close(self) -> None:
        """Wait for the sync that runs, if one does."""
        if self._syncer is not None:
            self._syncer.close()

    def _fail_waiters(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(StoreError("the journal cannot be written at the moment"))

    def _pause(self) -> None:
        self._fail_waiters()
        if self.resumed.is_set():
            self.resumed.clear()
            log.error("journal cannot be written, matches pause", fault=str(self.gate.fault))
            self._observer.on_journal_fault()
            self._loop.call_later(JOURNAL_RETRY_INTERVAL_S, self._retry)

    def _retry(self) -> None:
        if self.gate.fault is not None:
            self.gate.open()
            self._loop.call_later(JOURNAL_RETRY_INTERVAL_S, self._retry)

    def _resume(self) -> None:
        self.resumed.set()
        self._observer.on_journal_recovered()
