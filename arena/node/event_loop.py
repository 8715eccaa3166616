"""The event loop of a node: when did what we are reading arrive, and when did the loop itself stand still.

A poll that had to wait returned when something came. A poll that returned at once found something that may have lain
there, and while one such poll follows the other a message may be on its way from the socket to its reader: gRPC takes
one message of a stream at a time, and some passes for each. So the stamp of what is read is the instant at which a poll
waited last, but not longer ago than a message should ever take. No bot pays for passes of ours; a late answer may win
so much by them. Where passes are long it is the poll before the previous one at least.
"""

import gc
import selectors
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.match.scalars import Instant
from arena.node.wait_log import LONG_WAIT_US, WaitLog

STALL_THRESHOLD_US = 50_000
"""A gap of the loop above this is a stall: it is credited to everyone."""


MAX_TRANSIT_US = 8_000
"""The longest that a message of a loop that never waits is taken to have been on its way."""

GC_THRESHOLDS = (5_000, 20, 20)
"""Python's own first one is 700."""


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Look for cyclic garbage seldom, and never among what exists already.

    A match makes nearly none, and to look through everything stops the loop: 0.15 s were seen with a thousand matches.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class NodeClock:
    """Microseconds since the node started, monotonic; with a head start, from that on."""

    def __init__(self, monotonic_ns: Callable[[], int] = time.monotonic_ns, head_start_us: int = 0) -> None:
        self._monotonic_ns = monotonic_ns
        self._start = monotonic_ns() - head_start_us * 1000

    def now(self) -> Instant:
        """The present."""
        return Instant((self._monotonic_ns() - self._start) // 1000)


class StampingSelector(selectors.DefaultSelector):
    """Notes when polls return, and which of them had to wait."""

    def __init__(self, clock: NodeClock) -> None:
        super().__init__()
        self._clock = clock
        self.returned = clock.now()
        """When the latest poll returned: the present pass began then."""
        self._before = deque([self.returned] * 2, maxlen=2)
        """When the two polls before it did."""
        self._waited = self.returned
        """When the latest poll that had to wait returned."""
        self.waits = WaitLog()
        """Passes that took long."""
        self._stall_listeners: list[Callable[[int], None]] = []

    def add_stall_listener(self, listener: Callable[[int], None]) -> None:
        """Have stalls told, microseconds each. What runs in the loop can only come after the selector."""
        self._stall_listeners.append(listener)

    @property
    def arrival_stamp(self) -> Instant:
        """The stamp of what is read now. Nothing that is read later gets an earlier one."""
        return max(self._waited, min(self._before[0], Instant(self.returned - MAX_TRANSIT_US)))

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Poll; first without waiting, to tell a message that lay there from one that comes."""
        before = self._clock.now()
        self._before.append(self.returned)
        self._report_gap(before - self.returned)
        events = super().select(0)
        looked = self._clock.now()
        self._report_gap(looked - before)  # it does not wait
        if events or timeout == 0:
            self.returned = looked
            return events
        events = super().select(timeout)
        self.returned = self._waited = now = self._clock.now()
        if timeout is not None and now - looked - int(timeout * 1e6) > STALL_THRESHOLD_US:
            self._report_gap(now - looked)  # nobody knows when in this time it began
            self._waited = before
        return events

    def _report_gap(self, gap_us: int) -> None:
        if gap_us > LONG_WAIT_US:
            self.waits.record(self._clock.now(), gap_us)
            if gap_us > STALL_THRESHOLD_US:
                for listener in self._stall_listeners:
                    listener(gap_us)
