"""One heap for all tables of a node: which is due next."""

import heapq

from arena.match.scalars import Instant


class Timers:
    """Keeps the earliest known due time of each number; later times are found out when that one comes up."""

    def __init__(self) -> None:
        self._heap: list[tuple[Instant, int]] = []
        self._known: dict[int, Instant] = {}

    def schedule(self, number: int, due: Instant | None) -> None:
        """This number may be due then; None: nothing is. A due time that has moved later needs no entry of its own."""
        if due is None:
            return
        known = self._known.get(number)
        if known is None or due < known:
            self._known[number] = due
            heapq.heappush(self._heap, (due, number))

    @property
    def next_due(self) -> Instant | None:
        """The earliest instant at which something may be due."""
        return self._heap[0][0] if self._heap else None

    def pop_due(self, upto: Instant) -> list[int]:
        """Numbers that may be due up to an instant, earliest first. Set those again that turn out not to be."""
        popped = []
        while self._heap and self._heap[0][0] <= upto:
            due, number = heapq.heappop(self._heap)
            if self._known.get(number) == due:
                del self._known[number]
                popped.append(number)
        return popped
