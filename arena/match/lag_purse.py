"""The lag purse of one entrant: time that it gets back for what its messages spend on the way. A pace may have it.

Each prompt of the entrant ends later by its measured round trip, but by at most 100 ms and by at most what is in the
purse; the deadline that the bot is shown includes this. What it uses of that time is taken out of the purse, and each
answer puts 50 ms in. So a bot that is far away can use about 50 ms a decision in the long run.

The server measures round trips itself. A bot that delays its pongs raises only its own estimate, up to these bounds.
Answers are secret until a window closes, and the nearest caller counts, never the first to arrive; so late answers win
nothing. When a prompt closes must not tell the others how far away a bot is: a prompt that somebody leaves unanswered,
and each window with a fixed end, closes 100 ms after its ordinary deadline at such a table, whatever the round trips.
"""

from typing import Final

START_US: Final = 300_000
"""What the purse holds when the match begins."""
REFILL_US: Final = 50_000
"""What each answer adds."""
CAP_US: Final = 700_000
"""The most that the purse holds."""
MAX_GRANT_US: Final = 100_000
"""The most that one prompt is extended by."""


class LagPurse:
    """The purse of one entrant over a match."""

    __slots__ = ("left_us", "round_trip_us")

    def __init__(self) -> None:
        self.left_us = START_US
        """What the purse holds, in microseconds."""
        self.round_trip_us = 0
        """The entrant's round trip as last measured; 0 until then."""

    @property
    def grant_us(self) -> int:
        """By how many microseconds a prompt that opens now ends later."""
        return min(MAX_GRANT_US, self.left_us, self.round_trip_us)

    def charge(self, us: int) -> None:
        """Take out what was used for a prompt: 0 to its grant."""
        self.left_us = max(0, self.left_us - us)

    def refill(self) -> None:
        """Add what an answer adds."""
        self.left_us = min(CAP_US, self.left_us + REFILL_US)
