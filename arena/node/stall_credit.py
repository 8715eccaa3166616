"""Credits every match with the time that the node loses when its event loop stalls or its journal cannot be written.

A credit moves the deadlines of a match, so that lost time costs no bot anything. No time is credited twice.
"""

import asyncio
from collections.abc import Callable

from arena.log_lines import get_logger
from arena.match.scalars import Instant
from arena.node.event_loop import STALL_THRESHOLD_US
from arena.node.match_registry import MatchRegistry

log = get_logger(__name__)


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

    def on_stall(self, gap_us: int) -> None:
        """Credit a stall of the loop that ends now. While the journal is paused, do nothing: the pause is credited."""
        now = self._clock()
        gap_us = min(gap_us, now - self.credited_to)
        if self._registry.matches and self._resumed.is_set() and gap_us > STALL_THRESHOLD_US:
            self.stalls_us.append(gap_us)
            log.warning("loop stalled", gap_ms=gap_us // 1000, matches=len(self._registry.matches))
            self.credit(gap_us, now)

    def credit(self, us: int, now: Instant) -> None:
        """Credit every match with `us` microseconds, the time lost up to `now`."""
        self._registry.credit(us, now)
        self.credited_to = now
