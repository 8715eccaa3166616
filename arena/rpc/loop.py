"""The event loop of a node: when did what we are reading arrive, and when did the loop itself stand still.

A message that a coroutine reads in this pass was seen by an earlier poll. If that poll had to wait, it returned when
the message came; if it returned at once, the message may have lain there since the poll before. And where polls return
at once one after another, a message takes some passes from the socket to the coroutine. The stamp is the earliest
instant of these, so that no bot pays for passes of ours.
"""

import asyncio
import gc
import selectors
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STALL_US = 50_000
"""A gap of the loop above this is a stall: it is credited to everyone."""


PASSES = 4
"""So many passes a message may take from the socket to whoever reads it: gRPC's thread is woken and wakes the loop, a
future is resolved, a coroutine goes on, and before that it may have been busy with the message before."""

COLLECTOR_THRESHOLDS = (5_000, 20, 20)
"""Python's own first one is 700."""


@contextmanager
def calm_collector() -> Iterator[None]:
    """Look for cyclic garbage seldom, and never among what exists already.

    A match makes nearly none, and to look through everything stops the loop: 0.15 s were seen with a thousand matches.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class NodeClock:
    """Microseconds since the node started, monotonic."""

    def __init__(self, monotonic_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._monotonic_ns = monotonic_ns
        self._start = monotonic_ns()

    def now(self) -> int:
        """The present."""
        return (self._monotonic_ns() - self._start) // 1000


class StampingSelector(selectors.DefaultSelector):
    """Notes when polls return. `arrived` is the stamp for whatever is read in the pass that follows."""

    def __init__(self, clock: NodeClock) -> None:
        super().__init__()
        self._clock = clock
        self.returned = clock.now()
        """When the latest poll returned: the present pass began then."""
        self._seen = deque([self.returned], maxlen=PASSES)
        """Since when what each of the last polls has found may have been there, back to the last one that waited."""
        self.arrived = self.returned
        self.on_stall: Callable[[int], None] = lambda us: None  # noqa: ARG005  nobody listens yet

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Poll; first without waiting, to tell a message that lay there from one that comes."""
        before = self._clock.now()
        self._report(before - self.returned)
        events = super().select(0)
        if events or timeout == 0:
            self._note(self._clock.now(), self.returned)
            return events
        events = super().select(timeout)
        now = self._clock.now()
        overslept = timeout is not None and now - before - int(timeout * 1e6) > STALL_US
        if overslept:
            self._report(now - before)  # nobody knows when in this time it began
        arrived = self._seen[0]
        self._seen.clear()
        self._note(now, before if overslept else now)
        self.arrived = arrived
        return events

    def _note(self, returned: int, seen: int) -> None:
        """What is read now was seen by an earlier poll."""
        if self._seen:
            self.arrived = self._seen[0]
        self._seen.append(seen)
        self.returned = returned

    def _report(self, gap_us: int) -> None:
        if gap_us > STALL_US:
            self.on_stall(gap_us)


def new_loop(clock: NodeClock) -> tuple[asyncio.SelectorEventLoop, StampingSelector]:
    """An event loop that stamps, and its selector."""
    selector = StampingSelector(clock)
    return asyncio.SelectorEventLoop(selector), selector
