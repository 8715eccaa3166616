"""The lag purse of one entrant: extra time to make up for network delay. A pace may have lag purses.

Each prompt of the entrant is extended:

    extension = min(the entrant's round trip, 100 ms, what is in the purse)

The deadline that the bot is shown includes the extension. Time that the bot uses after the ordinary deadline is taken
out of the purse, and each answer puts 50 ms in. So in the long run, a bot can use about 50 ms of extra time for each
decision.

The server measures round trips itself. A bot that delays its pongs raises only its own round trip, and these limits
still apply. A late answer gains nothing: answers are secret until a window closes, and the nearest caller counts, not
the first.

The closing time of a prompt must not reveal how far away a bot is. So at a table with lag purses, a prompt that a bot
leaves unanswered closes 100 ms after its ordinary deadline, whatever the round trips are. Each window with a fixed end
does the same.
"""

from typing import Final

START_US: Final = 300_000
"""The content of a purse when the match begins."""
REFILL_US: Final = 50_000
"""The time that each answer adds to the purse."""
CAP_US: Final = 700_000
"""The largest content of a purse."""
MAX_GRANT_US: Final = 100_000
"""The longest extension of one prompt."""


class LagPurse:
    """The purse of one entrant in one match."""

    __slots__ = ("left_us", "round_trip_us")

    def __init__(self) -> None:
        self.left_us = START_US
        """The content of the purse, in microseconds."""
        self.round_trip_us = 0
        """The entrant's shortest recent round trip, in microseconds; 0 if none has been measured."""

    @property
    def grant_us(self) -> int:
        """The extension of a prompt that opens now, in microseconds."""
        return min(MAX_GRANT_US, self.left_us, self.round_trip_us)

    def charge(self, us: int) -> None:
        """Take the used part of a prompt's extension out of the purse."""
        self.left_us = max(0, self.left_us - us)

    def refill(self) -> None:
        """Add the time for one answer, up to the largest content."""
        self.left_us = min(CAP_US, self.left_us + REFILL_US)
