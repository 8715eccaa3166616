"""The server's clock as seen from here. Deadlines are on it; nothing else in this package reads times of the server."""

import time

MAX_CLOCK_DRIFT = 20e-6
"""How much faster than ours the server's clock may run: 20 parts in a million, as cheap quartz does."""


class ServerClock:
    """Turns the server's microseconds into this machine's monotonic seconds.

    Every frame carries the server's time; the quickest frame came nearest to the truth, so the least difference
    counts. It may grow by the drift of the clocks alone.
    """

    __slots__ = ("_offset_s", "_seen_s")

    def __init__(self) -> None:
        self._offset_s = float("inf")
        self._seen_s = 0.0

    def observe(self, server_us: int, arrival_s: float) -> None:
        """Take in the time that a frame carried, and when it came."""
        grown_s = self._offset_s + MAX_CLOCK_DRIFT * (arrival_s - self._seen_s)
        self._offset_s = min(grown_s, arrival_s - server_us * 1e-6)
        self._seen_s = arrival_s

    def local_s(self, server_us: int) -> float:
        """Return when it is ``server_us`` there, on this machine's monotonic clock in seconds."""
        return server_us * 1e-6 + self._offset_s


class Clock:
    """The time for one question."""

    __slots__ = ("deadline_s",)

    def __init__(self, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        """The last instant for the answer to arrive, on `time.monotonic` in seconds; infinite if there is none."""

    @property
    def left_s(self) -> float:
        """Seconds until the answer must have arrived, the way to the server included; infinite if there is no limit."""
        return self.deadline_s - time.monotonic()
