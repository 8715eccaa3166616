"""Credits every match with the time that the node loses when its event loop stalls or its journal cannot be written.

A credit moves the deadlines of a match, so that lost time costs no bot anything. No time is credited twice.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from arena.log_lines import get_logger
from arena.match.referee.scalars import Instant
from arena.server.node.event_loop import STALL_THRESHOLD_US
from arena.server.node.match_registry import MatchRegistry

log = get_logger(__name__)

REPORT_INTERVAL_S: Final = 60.0
"""Seconds between two lines of the log about stalls."""


class StallCredit:
    """Credits the matches of one node."""

    def __init__(self, registry: MatchRegistry, clock: Callable[[], Instant], resumed: asyncio.Event) -> None:
        """`clock` returns microseconds. `resumed` is set while the journal can be written."""
        self.stalls_us: list[int] = []
        """Every stall of the loop that was credited, in microseconds."""
        self.credited_to = Instant(0)
        """The instant up to which all lost time has been credited."""
        self._registry = registry
        self._clock = clock
        self._resumed = resumed
        self._reported_count = 0
        """How many stalls the log has."""
        self._timer: asyncio.TimerHandle | None = None
        """Calls for the next line of the log; None if no line was written within the interval."""

    def on_stall(self, gap_us: int) -> None:
        """Credit a stall of the loop that ends now. While the journal is paused, do nothing: the pause is credited."""
        now = self._clock()
        gap_us = min(gap_us, now - self.credited_to)
        if self._registry.matches and self._resumed.is_set() and gap_us > STALL_THRESHOLD_US:
            self.stalls_us.append(gap_us)
            if self._timer is None:
                self._report()
            self.credit(gap_us, now)

    def _report(self) -> None:
        """Log the stalls since the last line in one line, and those that follow after the interval."""
        stalls_us, self._timer = self.stalls_us[self._reported_count :], None
        if stalls_us:
            self._reported_count += len(stalls_us)
            times = {"longest_ms": max(stalls_us) // 1000, "total_ms": sum(stalls_us) // 1000}
            log.warning("loop stalled", count=len(stalls_us), **times, matches=len(self._registry.matches))
            self._timer = asyncio.get_running_loop().call_later(REPORT_INTERVAL_S, self._report)

    def credit(self, us: int, now: Instant) -> None:
        """Credit every match with `us` microseconds, the time lost up to `now`."""
        self._registry.credit(us, now)
        self.credited_to = now
