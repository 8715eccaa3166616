"""Brings the journal to the disk in a thread of its own, so that the loop goes on playing meanwhile."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from arena.errors import JournalError
from arena.match.ports import SyncedJournal


class JournalSyncer:
    """One sync at a time. Belongs to the running loop."""

    def __init__(self, journal: SyncedJournal) -> None:
        self.journal = journal
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")

    def sync(self, then: Callable[[JournalError | None], None]) -> None:
        """Begin a sync; `then` is called in the loop when it has ended, with the fault if there was one."""

        def ended(done: Future[JournalError | None]) -> None:
            self._loop.call_soon_threadsafe(then, done.result())

        self._thread.submit(self._sync_journal).add_done_callback(ended)

    def _sync_journal(self) -> JournalError | None:
        try:
            self.journal.sync()
        except JournalError as fault:
            return fault
        return None

    def close(self) -> None:
        """Wait for the sync that runs; its end is still told, if the loop goes on."""
        self._thread.shutdown()
