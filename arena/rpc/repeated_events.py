"""Logs what a hostile client can cause thousands of times a second, in a few lines."""

import time
from collections.abc import Callable
from typing import Final

INTERVAL_S: Final = 10.0
"""Seconds between two lines of the same kind."""


class RepeatedEvents:
    """Writes the first event of a kind at once, and later ones in sums, so that none is left out of the count."""

    def __init__(self, write: Callable[[str, int, str], object], clock: Callable[[], float] = time.monotonic) -> None:
        """`write` takes a kind, how many events the line stands for, and the example; `clock` returns seconds."""
        self._write = write
        self._clock = clock
        self._written_at: dict[str, float] = {}
        """When a line of each kind was written last."""
        self._unwritten: dict[str, tuple[int, str]] = {}
        """How many events of each kind wait for a line, and the latest example."""

    def add(self, kind: str, count: int = 1, example: str = "") -> None:
        """Count events of a kind, and write a line if it is time for one."""
        earlier, _ = self._unwritten.get(kind, (0, ""))
        self._unwritten[kind] = earlier + count, example
        self.write_due()

    def write_due(self) -> None:
        """Write the lines that it is time for."""
        now = self._clock()
        for kind in [each for each in self._unwritten if self._due_at(each) <= now]:
            self._written_at[kind] = now
            self._write(kind, *self._unwritten.pop(kind))

    def write_all(self) -> None:
        """Write what is not written yet, because nothing more will come."""
        for kind in list(self._unwritten):
            self._write(kind, *self._unwritten.pop(kind))

    @property
    def wait_s(self) -> float | None:
        """Seconds until a line is due; None if everything is written."""
        if not self._unwritten:
            return None
        return max(0.0, min(map(self._due_at, self._unwritten)) - self._clock())

    def _due_at(self, kind: str) -> float:
        return self._written_at.get(kind, float("-inf")) + INTERVAL_S
