"""The gate of a journal that survives a power cut: what an input has led to leaves when the disk has the input.

    dealt with:   a b c | d e f g        | h ...
    journal:       flush, sync ────────▶ flush, sync ────▶
    leaves:                              a b c            d e f g

A sync runs in a thread. Meanwhile the loop goes on, and whatever it deals with shares the next sync, which begins as
soon as this one has ended. So a slow disk makes groups larger and not fewer decisions a second.
"""

from collections.abc import Callable

from arena.errors import JournalError
from arena.feed.gate import Gate, Releasable
from arena.match.ports import Journal
from arena.match.scalars import Instant

StartSync = Callable[[Callable[[JournalError | None], None]], None]
"""Begins to bring to the disk what was flushed, elsewhere; tells in the loop, later, how it went."""


class SyncedGate(Gate):
    """Lets go what was staged before a sync began when it has ended. A sync that failed shuts the gate like a write."""

    def __init__(
        self,
        journal: Journal,
        schedule: Callable[[Callable[[], None]], object],
        sync: StartSync,
        clock: Callable[[], Instant],
        *,
        on_fault: Callable[[], None] = lambda: None,
        on_reopened: Callable[[], None] = lambda: None,
        on_synced: Callable[[Instant, int], None] = lambda _since, _waited_us: None,
    ) -> None:
        """`clock` gives microseconds.

        `on_synced` is called when what a sync covers leaves: handled since when, and how long it waited for the disk.
        """
        super().__init__(journal, schedule, on_fault=on_fault, on_reopened=on_reopened)
        self._on_synced = on_synced
        self._start_sync = sync
        self._clock = clock
        self._leaving: dict[Releasable, None] | None = None
        """What the running sync covers; None: none runs."""
        self._flushed_at = clock()
        self._wanted_at: Instant | None = None
        """Since when a sync is wanted that has not begun; None: nothing waits for one."""
        self._covered_from = self._flushed_at
        self._covered_wanted_at = self._flushed_at
        """Of the running sync: it covers what was dealt with after the one instant, and was wanted at the other."""

    def open(self) -> None:
        """Begin a sync, unless one runs: then the next begins when that has ended."""
        self._is_scheduled = False
        now = self._clock()
        if self._wanted_at is None:
            self._wanted_at = now
        if self._leaving is None and self._flush():
            self._begin_sync(now, self._wanted_at)

    def _begin_sync(self, now: Instant, wanted_at: Instant) -> None:
        self._leaving, self._waiting = self._waiting, {}
        for staged in self._leaving:
            staged.seal()
        self._covered_from, self._flushed_at = self._flushed_at, now
        self._covered_wanted_at, self._wanted_at = wanted_at, None
        self.released_upto = self._covered_from
        self._start_sync(self._end_sync)

    def _end_sync(self, fault: JournalError | None) -> None:
        leaving, self._leaving = self._leaving or {}, None
        if fault is not None:
            self._requeue(leaving)
            self._shut(fault)
            return
        self.released_upto = None
        self._reopen()
        self._release(leaving)
        self._on_synced(self._covered_from, self._clock() - self._covered_wanted_at)
        if self._wanted_at is not None:
            self.open()

    def _requeue(self, leaving: dict[Releasable, None]) -> None:
        """The next sync has to cover this one's part too."""
        self._waiting = leaving | self._waiting
        self._flushed_at, self._wanted_at = self._covered_from, self._covered_wanted_at
