"""The gate of a journal that survives a power cut. It releases messages once the disk has the inputs that caused them.

    handled:      a b c | d e f g        | h ...
    journal:       flush, sync ────────▶ flush, sync ────▶
    leaves:                              a b c            d e f g

A sync runs in a thread while the loop continues. Everything that the loop handles meanwhile shares the next sync. The
next sync begins as soon as the running one ends. So a slow disk makes the groups larger and does not reduce the
decisions per second.
"""

from collections.abc import Callable

from arena.errors import JournalError
from arena.match.feed.gate import Gate, Releasable
from arena.match.referee.ports import Journal
from arena.match.referee.scalars import Instant

StartSync = Callable[[Callable[[JournalError | None], None]], None]
"""Starts a sync of the flushed records outside the loop.

When the sync has ended, the given function is called in the loop, with the error or None.
"""


class SyncedGate(Gate):
    """At the end of a sync, releases what was staged before the sync began. A failed sync shuts the gate."""

    def __init__(
        self,
        journal: Journal,
        schedule: Callable[[Callable[[], None]], object],
        sync: StartSync,
        clock: Callable[[], Instant],
        *,
        on_fault: Callable[[], None],
        on_reopened: Callable[[], None],
        on_synced: Callable[[Instant, int], None],
    ) -> None:
        """`clock` returns microseconds.

        `on_synced` is called after the messages of a sync are released. Its first argument is the instant at
        which the node began to handle the inputs that led to these messages. Its second argument is how many
        microseconds ago the sync was requested.
        """
        super().__init__(journal, schedule, on_fault=on_fault, on_reopened=on_reopened)
        self._on_synced = on_synced
        self._start_sync = sync
        self._clock = clock
        self._leaving: dict[Releasable, None] | None = None
        """What will be released when the running sync ends; None if no sync runs."""
        self._flushed_at = clock()
        self._wanted_at: Instant | None = None
        """When the next sync was requested; None if no further sync is requested."""
        self._covered_from = self._flushed_at
        self._covered_wanted_at = self._flushed_at
        """The running sync covers inputs handled after `_covered_from`, and was requested at `_covered_wanted_at`."""

    def open(self) -> None:
        """Begin a sync; if one runs, the next begins when it has ended."""
        self._is_scheduled = False
        now = self._clock()
        if self._wanted_at is None:
            self._wanted_at = now
        if self._leaving is not None or not self._flush():
            return
        self._leaving, self._waiting = self._waiting, {}
        for staged in self._leaving:
            staged.seal()
        self._covered_from, self._flushed_at = self._flushed_at, now
        self._covered_wanted_at, self._wanted_at = self._wanted_at, None
        self.released_upto = self._covered_from
        self._start_sync(self._end_sync)

    def _end_sync(self, error: JournalError | None) -> None:
        leaving, self._leaving = self._leaving or {}, None
        if error is not None:
            # The next sync covers these messages and their inputs too.
            self._waiting = leaving | self._waiting
            self._flushed_at, self._wanted_at = self._covered_from, self._covered_wanted_at
            self._shut(error)
            return
        self.released_upto = None
        self._reopen()
        self._release(leaving)
        self._on_synced(self._covered_from, self._clock() - self._covered_wanted_at)
        if self._wanted_at is not None:
            self.open()
