"""Syncs the journal to disk in a thread of its own, so that the loop keeps running."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from arena.errors import JournalError
from arena.match.referee.ports import SyncedJournal


class JournalSyncer:
    """Runs one sync at a time. Belongs to the running loop."""

    def __init__(self, journal: SyncedJournal) -> None:
        self.journal = journal
        self._loop = asyncio.get_running_loop()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="journal")

    def sync(self, then: Callable[[JournalError | None], None]) -> None:
        """Start a sync, then call `then` in the loop with its error, or None."""

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
