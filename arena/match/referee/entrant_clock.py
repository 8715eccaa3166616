"""The time that an entrant gets beyond its deadlines, for what its line and its connection cost it.

**The reconnect allowance** is how long the bot may take to reconnect, in total over a match (`reconnect_grace_ms` of
the pace). When a connection is lost, the entrant's clock pauses: its open prompts end later, by at most what is left of
the allowance. Only windows with a fixed end do not wait. The time that passes until the bot is back, or until the
prompt closes, is charged to the allowance. When it is used up, the deadlines apply as if the bot were connected.

**The lag purse** makes up for network delay, if the pace has lag purses. Each prompt of the entrant is extended:

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

from arena.match.referee.scalars import Instant

PURSE_START_US: Final = 300_000
"""The content of a lag purse when the match begins."""
PURSE_REFILL_US: Final = 50_000
"""The time that each answer adds to the purse."""
PURSE_CAP_US: Final = 700_000
"""The largest content of a purse."""
MAX_GRANT_US: Final = 100_000
"""The longest extension of one prompt."""


class EntrantClock:
    """The reconnect allowance and the lag purse of one entrant in one match."""

    __slots__ = ("allowance_us", "disconnected_since", "purse_us", "round_trip_us")

    def __init__(self, allowance_us: int) -> None:
        self.disconnected_since: Instant | None = None
        """The start of the lost time that is not charged yet; None while the bot is connected."""
        self.allowance_us = allowance_us
        """The rest of the reconnect allowance, in microseconds."""
        self.purse_us = PURSE_START_US
        """The content of the lag purse, in microseconds. Nothing is taken out of it if the pace has no lag purses."""
        self.round_trip_us = 0
        """The shortest recent round trip, in microseconds; 0 if none was measured, or the pace has no lag purses."""

    def charge_absence(self, started: Instant, at: Instant) -> int:
        """Charge the time from the loss, or from `started` if that is later, until `at` to the allowance.

        Return the microseconds charged: at most the rest of the allowance, and 0 if the bot is connected.
        """
        if self.disconnected_since is None:
            return 0
        charged_us = max(0, min(self.allowance_us, at - max(self.disconnected_since, started)))
        self.allowance_us -= charged_us
        self.disconnected_since = at
        return charged_us

    @property
    def grant_us(self) -> int:
        """The extension of a prompt that opens now, in microseconds."""
        return min(MAX_GRANT_US, self.purse_us, self.round_trip_us)

    def charge_lag(self, us: int) -> None:
        """Take the used part of a prompt's extension out of the purse."""
        self.purse_us = max(0, self.purse_us - us)

    def refill(self) -> None:
        """Add the time for one answer to the purse, up to the largest content."""
        self.purse_us = min(PURSE_CAP_US, self.purse_us + PURSE_REFILL_US)
