"""What a session knows of the line to its bot: the round trip by the node's own clock, and for how long it is silent.

Bots' clocks are never used.
"""

from collections import deque
from typing import Final

from arena.match.referee.scalars import Instant

KEPT_ROUND_TRIPS: Final = 16
"""How many of the latest round trips are kept. The shortest of them counts."""
STEP_S: Final = 5.0
"""Seconds between two looks at the lines."""


class RoundTrip:
    """Measures the shortest round trip of one session."""

    def __init__(self) -> None:
        self.shortest_us: int | None = None
        """The shortest of the latest round trips in microseconds; None until one is measured."""
        self._latest_us: deque[int] = deque(maxlen=KEPT_ROUND_TRIPS)
        self._pinged: int | None = None

    def start(self, now: Instant) -> int:
        """Start a measurement. Return the nonce that the pong must repeat: the instant of the ping."""
        self._pinged = now
        return now

    def end(self, nonce: int, at: Instant) -> None:
        """Finish a measurement with a pong that arrived at `at`; unrequested and repeated pongs are ignored."""
        if nonce == self._pinged:
            self._pinged = None
            self._latest_us.append(max(0, at - nonce))
            self.shortest_us = min(self._latest_us)


class Silence:
    """Counts for how long a bot has sent nothing after a ping."""

    def __init__(self, opened_at: Instant) -> None:
        self.seconds = 0.0
        """The time that was counted since the first ping that had no answer; 0 if there is none."""
        self.heard_at = opened_at
        """When the bot's latest frame arrived. The first is its Hello, which opened the session."""
        self._is_asked = False

    def ask(self) -> None:
        """Note a ping. The part of a step that is left until the next look does not count."""
        if not self._is_asked:
            self._is_asked, self.seconds = True, -STEP_S

    def end(self, at: Instant) -> None:
        """Note a frame, of whatever kind."""
        self._is_asked, self.seconds, self.heard_at = False, 0.0, at

    def count(self, step_s: float) -> None:
        """Count a step in which nothing has come."""
        if self._is_asked:
            self.seconds += step_s
