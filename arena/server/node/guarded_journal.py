"""Guards the journal of a node: holds its gate, syncs it in the background and retries failed writes."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from arena.errors import JournalError, StoreError
from arena.log_lines import get_logger
from arena.match.feed.gate import Gate
from arena.match.feed.synced_gate import SyncedGate
from arena.match.referee.inputs import match_number_of
from arena.match.referee.ports import Journal, SyncedJournal
from arena.match.referee.scalars import Instant

log = get_logger(__name__)

JOURNAL_RETRY_INTERVAL_S = 0.2
"""Seconds between retries of a failed journal write."""


class JournalObserver(Protocol):
    """Reacts to failures, recoveries and syncs of the journal."""

    def on_journal_fault(self) -> None:
        """Stop accepting input, because the journal cannot be written."""

    def on_journal_recovered(self) -> None:
        """Called before any message is sent."""

    def on_journal_synced(self, since: Instant, waited_us: int) -> None:
        """Handle the end of a sync that was requested `waited_us` microseconds ago.

        The messages that follow from inputs handled after `since` are sent now.
        """


class _FlushWaiter:
    """Resolves a future when the gate opens."""

    def __init__(self, waiting: asyncio.Future[None]) -> None:
        self._waiting = waiting

    def seal(self) -> None:
        """Do nothing: there is nothing to seal."""

    def release(self) -> None:
        if not self._waiting.done():
            self._waiting.set_result(None)


class GuardedJournal:
    """The one journal of a node. Belongs to the running loop."""

    def __init__(self, journal: Journal, clock: Callable[[], Instant], observer: JournalObserver) -> None:
        """`clock` returns microseconds."""
        self._observer = observer
        self._loop = asyncio.get_running_loop()
        self._syncer = JournalSyncer(journal) if isinstance(journal, SyncedJournal) else None
        self._waiting: set[asyncio.Future[None]] = set()
        """The futures of those who wait until the journal is written."""
        self.resumed = asyncio.Event()
        """Set while the journal can be written."""
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
        """Call `act` after one more loop pass, so that the results of that pass go into the same frame.

        Without this pass, a frame would have only a third as much content, and sending a frame would cost more than its
        content does. More passes would delay bots.
        """
        self._loop.call_soon(self._loop.call_soon, act)

    def synced_matches(self) -> set[int]:
        """Return the numbers of the matches whose records the latest sync wrote."""
        return set() if self._syncer is None else set(map(match_number_of, self._syncer.journal.last_sync_records))

    async def wait_until_flushed(self) -> None:
        """Return when everything appended so far is written. Raises StoreError if that is impossible now."""
        waiting: asyncio.Future[None] = self._loop.create_future()
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)
        self.gate.release_after_flush(_FlushWaiter(waiting))
        if self.gate.fault is not None:
            self._fail_waiters()
        await waiting

    async def wait_until_recorded(self) -> None:
        """Wait until everything appended so far is written, even if the journal cannot be written for some time."""
        while True:
            await self.resumed.wait()
            try:
                await self.wait_until_flushed()
            except StoreError as error:
                log.warning("journal cannot be written, trying again", fault=str(error))
            else:
                return

    def close(self) -> None:
        """Wait for a running sync to finish."""
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


class JournalSyncer:
    """Runs one sync at a time. Belongs to the running loop."""

    def __init__(self, journal: SyncedJournal) -> None:
        self.journal = journal
        self._loop = asyncio.get_running_loop()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="journal")

    def sync(self, then: Callable[[JournalError | None], None]) -> None:
        """Call `then` in the loop with the error of the sync, or None."""

        def report(done: Future[JournalError | None]) -> None:
            self._loop.call_soon_threadsafe(then, done.result())

        self._executor.submit(self._sync_journal).add_done_callback(report)

    def _sync_journal(self) -> JournalError | None:
        try:
            self.journal.sync()
        except JournalError as error:
            return error
        return None

    def close(self) -> None:
        """Wait for a running sync to end. The callback of the sync runs later, if the loop still runs."""
        self._executor.shutdown()
