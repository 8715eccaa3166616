"""Estimates the server's clock and converts the server's times to times of this machine. No other module does this."""

import time

MAX_CLOCK_DRIFT = 20e-6
"""Largest expected drift between the two clocks: 20 microseconds per second, as with cheap quartz clocks."""


class ServerClock:
    """Converts the server's microseconds to this machine's monotonic seconds.

    Every frame carries the server's time, so each frame gives one measurement::

        this machine's time at arrival - server's time = offset between the clocks + travel time

    The smallest measurement is the best estimate of the offset. Because the clocks drift, an old measurement may be
    too small. So the estimate grows slowly until a smaller measurement replaces it.
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
        """Convert a time of the server, in microseconds, to this machine's monotonic time, in seconds."""
        return server_us * 1e-6 + self._offset_s


class Clock:
    """The time limit of one question."""

    __slots__ = ("deadline_s",)

    def __init__(self, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        """Time by which the answer must reach the server, in `time.monotonic` seconds; infinite without a deadline."""

    @property
    def left_s(self) -> float:
        """Seconds until the answer must have reached the server; infinite without a deadline."""
        return self.deadline_s - time.monotonic()
