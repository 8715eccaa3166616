"""Keeps the deadlines of all tables of a node in one heap, and wakes the node one read margin after the earliest.

By then, the answers that arrived in time have been read.
"""

import asyncio
import heapq
from collections.abc import Callable, Sequence

from arena.match.referee.scalars import Instant


class Timers:
    """Keeps the earliest due time given for each match. If that was too early, the caller schedules the match again."""

    def __init__(self) -> None:
        self._heap: list[tuple[Instant, int]] = []
        self._known: dict[int, Instant] = {}

    def schedule(self, number: int, due: Instant | None) -> None:
        """`due` is None if nothing is due. If it has moved later, no new entry is needed."""
        if due is None:
            return
        known = self._known.get(number)
        if known is None or due < known:
            self._known[number] = due
            heapq.heappush(self._heap, (due, number))

    def is_after_due(self, number: int, at: Instant) -> bool:
        """Return whether `at` is later than the due time of a match. The due time that is known may be too early."""
        known = self._known.get(number)
        return known is not None and at > known

    @property
    def next_due(self) -> Instant | None:
        """The earliest instant at which something may be due."""
        return self._heap[0][0] if self._heap else None

    def pop_due(self, upto: Instant) -> list[int]:
        """Remove and return the numbers of matches that may be due up to an instant, earliest first.

        The caller must schedule each of them again.
        """
        popped = []
        while self._heap and self._heap[0][0] <= upto:
            due, number = heapq.heappop(self._heap)
            if self._known.get(number) == due:
                del self._known[number]
                popped.append(number)
        return popped


READ_MARGIN_US = 3_000
"""The read margin: how long after a deadline the node acts. In this time it reads the answers that reached the machine
before the deadline. Answers are still judged by their arrival stamp."""
READ_MARGIN_PASSES = 2
"""How many more loop passes follow the read margin before a deadline takes effect."""


class DeadlineTimer:
    """Holds the node's single timer. Belongs to the running loop."""

    def __init__(
        self,
        clock: Callable[[], Instant],
        act: Callable[[], None],
        leads_us: Sequence[int] = (),
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """`clock` returns microseconds. `act` is called after the timer has expired and been cleared.

        `leads_us` are times before a deadline, the longest first; `prepare` is called at each. `prepare` is also
        called before each `act`, because the next deadline may be nearer than the shortest lead.
        """
        self._clock = clock
        self._act = act
        self._leads_us = leads_us
        self._prepare = prepare
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None
        self._due = Instant(0)

    def set(self, due: Instant) -> None:
        """Wake the node at `due`. Does nothing if the timer is already set for an earlier instant."""
        if self._handle is not None:
            if self._due <= due:
                return
            self._handle.cancel()
        self._due = due
        self._start()

    def _start(self) -> None:
        """Wait for the next lead before the deadline. If none is left, wait for the end of the read margin."""
        left_us = self._due - self._clock()
        lead_us = next((lead for lead in self._leads_us if lead < left_us), None)
        if lead_us is None:
            delay_s = max(0, left_us + READ_MARGIN_US) / 1e6
            self._handle = self._loop.call_later(delay_s, self._wake, READ_MARGIN_PASSES)
        else:
            self._handle = self._loop.call_later((left_us - lead_us) / 1e6, self._wake_early)

    def _wake_early(self) -> None:
        self._prepare()
        self._start()

    def _wake(self, passes: int) -> None:
        """Act after some more loop passes, in which the loop reads what has arrived."""
        if passes:
            self._loop.call_soon(self._wake, passes - 1)
            return
        self._handle = None
        self._prepare()
        self._act()
