"""The server's clock as seen from this machine, for deadlines. Only this module converts times of the server."""

import time

MAX_CLOCK_DRIFT = 20e-6
"""Largest relative drift between the clocks: 20 parts per million, as in cheap quartz."""


class ServerClock:
    """Converts the server's microseconds to this machine's monotonic seconds.

    Every frame carries the server's time. The frame that travelled fastest gives the best estimate of the offset
    between the clocks, so the smallest difference counts. The estimate grows only by the drift of the clocks.
    """

    __slots__ = ("_offset_s", "_seen_s")

    def __init__(self) -> None:
        self._offset_s = float("inf")
        self._seen_s = 0.0

    def observe(self, server_us: int, arrival_s: float) -> None:
        """Record the server's time in a frame, and the time of this machine at which the frame arrived."""
        grown_s = self._offset_s + MAX_CLOCK_DRIFT * (arrival_s - self._seen_s)
        self._offset_s = min(grown_s, arrival_s - server_us * 1e-6)
        self._seen_s = arrival_s

    def local_s(self, server_us: int) -> float:
        """Return this machine's monotonic time, in seconds, when the server's clock shows ``server_us``."""
        return server_us * 1e-6 + self._offset_s


class Clock:
    """The time limit of one question."""

    __slots__ = ("deadline_s",)

    def __init__(self, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        """Time by which the answer must reach the server, in seconds of `time.monotonic`; infinite if unlimited."""

    @property
    def left_s(self) -> float:
        """Seconds until the answer must have reached the server; infinite if unlimited."""
        return self.deadline_s - time.monotonic()
