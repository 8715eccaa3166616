"""Logs events in a few lines, even if a hostile client causes thousands of them in a second."""

import time
from collections.abc import Callable
from typing import Final

INTERVAL_S: Final = 10.0
"""Seconds between two lines of the same kind."""


class RepeatedEvents:
    """Writes the first event of a kind at once. Later lines give the number of events since the last line."""

    def __init__(self, write: Callable[[str, int, str], object], clock: Callable[[], float] = time.monotonic) -> None:
        """`write` takes the kind, the number of events and the example of one line. `clock` returns seconds."""
        self._write = write
        self._clock = clock
        self._written_at: dict[str, float] = {}
        """When the last line of each kind was written."""
        self._unwritten: dict[str, tuple[int, str]] = {}
        """For each kind, the number of events that no line has reported yet, and the latest example."""

    def add(self, kind: str, count: int = 1, example: str = "") -> None:
        """Count events of a kind, and write every line that is due."""
        earlier, _ = self._unwritten.get(kind, (0, ""))
        self._unwritten[kind] = earlier + count, example
        self.write_due()

    def write_due(self) -> None:
        now = self._clock()
        for kind in [each for each in self._unwritten if self._due_at(each) <= now]:
            self._written_at[kind] = now
            self._write(kind, *self._unwritten.pop(kind))

    def write_all(self) -> None:
        """Write lines for all events that no line has reported yet. Call this at the end."""
        for kind in list(self._unwritten):
            self._write(kind, *self._unwritten.pop(kind))

    @property
    def wait_s(self) -> float | None:
        """Seconds until the next line is due; None if all events are reported."""
        if not self._unwritten:
            return None
        return max(0.0, min(map(self._due_at, self._unwritten)) - self._clock())

    def _due_at(self, kind: str) -> float:
        return self._written_at.get(kind, float("-inf")) + INTERVAL_S
