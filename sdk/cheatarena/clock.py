"""Estimates the server's clock, so that deadlines can be read here. Only this module converts times of the server."""

import time

MAX_CLOCK_DRIFT = 20e-6
"""Largest relative drift between the clocks: 20 parts per million, as in cheap quartz."""


class ServerClock:
    """Converts the server's microseconds to this machine's monotonic seconds.

    Every frame carries the server's time. The frame's arrival time minus this time is the offset between the clocks
    plus the travel time. So the smallest difference seen is the best estimate of the offset. The clocks drift, so the
    estimate grows slowly until a smaller difference replaces it.
    """

    __slots__ = ("_offset_s", "_seen_s")

    def __init__(self) -> None:
        self._offset_s = float("inf")
        self._seen_s = 0.0

    def observe(self, server_us: int, arrival_s: float) -> None:
        """Record the server's time from a frame, and this machine's time when the frame arrived."""
        grown_s = self._offset_s + MAX_CLOCK_DRIFT * (arrival_s - self._seen_s)
        self._offset_s = min(grown_s, arrival_s - server_us * 1e-6)
        self._seen_s = arrival_s

    def local_s(self, server_us: int) -> float:
        """Return this machine's monotonic time, in seconds, at which the server's clock shows ``server_us``."""
        return server_us * 1e-6 + self._offset_s


class Clock:
    """The time limit of one question."""

    __slots__ = ("deadline_s",)

    def __init__(self, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        """Time by which the answer must reach the server, in `time.monotonic` seconds; infinite without a limit."""

    @property
    def left_s(self) -> float:
        """Seconds until the answer must have reached the server; infinite without a deadline."""
        return self.deadline_s - time.monotonic()
