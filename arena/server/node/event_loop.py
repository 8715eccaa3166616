"""Stamps the arrival of messages in a node's event loop and detects stalls of the loop.

A poll that had to wait returned just when something arrived. A poll that returned immediately found data that may have
been there for some time. While polls return immediately, a message may also be on its way from the socket to its
reader. gRPC takes one message of a stream at a time, and needs several passes of the loop for each message.

The stamp of a message is therefore the end of the latest poll that waited, but never earlier than a limit::

    stamp = max(end of the latest poll that waited, limit)
    limit = min(end of the latest poll - MAX_TRANSIT_US, end of the poll two polls before it)

So the loop's own passes cost no bot any time. A late answer may gain up to the time of these passes.
"""

import gc
import selectors
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from arena.match.referee.scalars import Instant

STALL_THRESHOLD_US = 50_000
"""A gap in the loop that is longer than this is a stall. Its length is credited to every match."""

MAX_TRANSIT_US = 8_000
"""The longest time that a message is assumed to take from the socket to its reader while the loop is never idle."""

GC_THRESHOLDS = (5_000, 20, 20)
"""Thresholds of the garbage collector by generation. Python's default for the first generation is 700."""


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Collect cyclic garbage rarely, and never among the objects that already exist.

    A match creates almost no cyclic garbage, and a full collection stops the loop for 0.15 s if a thousand matches run.
    The objects that already exist come from imports, which leave next to no garbage. If we collected it first, a server
    would take a tenth longer to start.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class NodeClock:
    """Counts microseconds since the node started, monotonically, beginning at `head_start_us`."""

    def __init__(self, monotonic_ns: Callable[[], int] = time.monotonic_ns, head_start_us: int = 0) -> None:
        self._monotonic_ns = monotonic_ns
        self._start = monotonic_ns() - head_start_us * 1000

    def now(self) -> Instant:
        return Instant((self._monotonic_ns() - self._start) // 1000)


class StampingSelector(selectors.DefaultSelector):
    """Records when polls return and which of them had to wait."""

    def __init__(self, clock: NodeClock) -> None:
        super().__init__()
        self._clock = clock
        self.returned = clock.now()
        """When the latest poll returned and the present pass began."""
        self._before = deque([self.returned] * 2, maxlen=2)
        """When the two polls before the latest returned."""
        self._waited = self.returned
        """When the latest poll that had to wait returned."""
        self.waits = WaitLog()
        """The passes of the loop that took unusually long."""
        self._stall_listeners: list[Callable[[int], None]] = []

    def add_stall_listener(self, listener: Callable[[int], None]) -> None:
        """Call `listener` with the length of each stall in microseconds.

        Listeners are added later because everything that runs in the loop is created after the selector.
        """
        self._stall_listeners.append(listener)

    @property
    def arrival_stamp(self) -> Instant:
        """The arrival stamp of a message that is read now. Stamps never decrease."""
        return max(self._waited, min(self._before[0], Instant(self.returned - MAX_TRANSIT_US)))

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Poll first without waiting, to distinguish messages that were already there from those that arrive now."""
        before = self._clock.now()
        self._before.append(self.returned)
        self._report_gap(before - self.returned)
        events = super().select(0)
        looked = self._clock.now()
        self._report_gap(looked - before)  # this poll does not wait
        if events or timeout == 0:
            self.returned = looked
            return events
        events = super().select(timeout)
        self.returned = self._waited = now = self._clock.now()
        if timeout is not None and now - looked - int(timeout * 1e6) > STALL_THRESHOLD_US:
            self._report_gap(now - looked)  # the stall may have started at any time since the poll
            self._waited = before
        return events

    def _report_gap(self, gap_us: int) -> None:
        if gap_us > LONG_WAIT_US:
            self.waits.record(self._clock.now(), gap_us)
            if gap_us > STALL_THRESHOLD_US:
                for listener in self._stall_listeners:
                    listener(gap_us)


LONG_WAIT_US: Final = 2_500
"""Shorter waits are ordinary: a loop pass that handles input takes 1.5 ms and more."""
MAX_KEPT_WAITS: Final = 1024


class WaitLog:
    """Keeps the latest waits. Callers record only waits longer than `LONG_WAIT_US`."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: deque[tuple[int, int]] = deque(maxlen=MAX_KEPT_WAITS)

    def record(self, until: int, us: int) -> None:
        self._kept.append((until, us))

    def longest_since(self, since: int) -> int:
        """Return the longest wait that ended since an instant, in microseconds; 0 if none was recorded."""
        found = 0
        for until, us in reversed(self._kept):
            if until < since:
                break
            found = max(found, us)
        return found
