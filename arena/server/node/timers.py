"""Keeps the deadlines of all tables of a node in one heap."""

import heapq

from arena.match.referee.scalars import Instant


class Timers:
    """Keeps the earliest due time given for each match. If that was too early, the caller schedules the match again."""

    def __init__(self) -> None:
        self._heap: list[tuple[Instant, int]] = []
        self._known: dict[int, Instant] = {}

    def schedule(self, number: int, due: Instant | None) -> None:
        """Schedule a match; `due` is None if nothing is due. A due time that has moved later needs no new entry."""
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
