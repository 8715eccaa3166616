"""How long the bot of one entrant may take to reconnect, in total over a match.

The pace sets the allowance (`reconnect_grace_ms`). When a connection is lost, the entrant's clock pauses: its open
prompts end later, by at most what is left of the allowance. Only windows with a fixed end do not wait. The time that
passes until the bot is back, or until the prompt closes, is charged to the allowance. When the allowance is used up,
the deadlines apply as if the bot were connected.
"""

from arena.match.referee.scalars import Instant


class ReconnectAllowance:
    """The reconnect allowance of one entrant, and whether its connection is lost."""

    __slots__ = ("disconnected_since", "left_us")

    def __init__(self, us: int) -> None:
        self.disconnected_since: Instant | None = None
        """The start of the lost time that is not charged yet; None while the bot is connected."""
        self.left_us = us
        """The rest of the allowance, in microseconds."""

    def charge(self, started: Instant, at: Instant) -> int:
        """Charge the time from the loss, or from `started` if that is later, until `at`.

        Return the microseconds charged: at most the rest of the allowance, and 0 if the bot is connected.
        """
        if self.disconnected_since is None:
            return 0
        charged_us = max(0, min(self.left_us, at - max(self.disconnected_since, started)))
        self.left_us -= charged_us
        self.disconnected_since = at
        return charged_us
