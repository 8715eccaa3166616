"""How many seats a bot gets in a pool: fewer while it is slow, absent, or leaves or declines too often.

| after a match in which the bot | its seats |
|---|---|
| left, or did not answer the offer | none for 30 s; each further time doubles this pause, up to an hour |
| declined the offer, beyond its allowance | the same |
| got three strikes or more, at more than a tenth of its prompts | half as many, at least one, for 10 minutes |

A bot may decline one offer in ten, and two more. Ten matches without any of this halve the next pause: if one did, a
bot could refuse every other offer for ever, and so choose its opponents for half a minute each.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

FIRST_PAUSE_S: Final = 30.0
LONGEST_PAUSE_S: Final = 3_600.0
PAUSE_DIVISOR: Final = 2**0.1
"""By how much a match without misconduct divides the next pause."""
REDUCED_S: Final = 600.0
"""Seconds for which a slow bot gets fewer seats."""
STRIKE_SHARE: Final = 0.1
"""A larger share of prompts with strikes is too much."""
MIN_STRIKES: Final = 3
"""Fewer strikes in a match are never too many."""
FREE_DECLINES: Final = 2.0
"""How many offers a bot may decline in a row."""
DECLINES_A_MATCH: Final = 0.1
"""How many more it may decline for each match that it plays."""


class Misconduct(Enum):
    """What costs seats. The value is the name of the reason in the contract, in lower case."""

    ABSENT = "absent"
    DECLINED = "declined"
    LEFT = "left"
    TOO_MANY_STRIKES = "too_many_strikes"


_SENTENCES: Final = {
    Misconduct.ABSENT: "the bot did not answer the offer of a seat",
    Misconduct.DECLINED: "the bot has declined more offers than it may: one in ten, and two more",
    Misconduct.LEFT: "the bot left its seat before the end of a match",
    Misconduct.TOO_MANY_STRIKES: "more than a tenth of the bot's answers in a match were late, illegal or missing",
}


@dataclass(slots=True)
class SeatAllowance:
    """The seats of one bot in one pool. Times are in seconds on one clock."""

    declines_left: float = FREE_DECLINES
    reason: Misconduct | None = None
    """Why the bot gets fewer seats than it wants; None if it does not."""
    until: float = 0.0
    """When it gets all its seats again."""
    _next_pause_s: float = FIRST_PAUSE_S
    _slow_until: float = 0.0
    """When a bot that was too slow gets all its seats again. A pause meanwhile does not shorten this."""

    def seats(self, wanted: int, now: float) -> int:
        """Return how many seats the bot gets at once."""
        is_restricted = self.reason is not None and now < self.until
        if is_restricted and self.reason is not Misconduct.TOO_MANY_STRIKES:
            return 0
        return max(1, wanted // 2) if now < self._slow_until else wanted

    def lift(self, now: float) -> bool:
        """End a restriction whose time is over. Return whether there was one."""
        if self.reason is None or now < self.until:
            return False
        self.reason = None
        if now < self._slow_until:
            self.reason, self.until = Misconduct.TOO_MANY_STRIKES, self._slow_until
        return True

    def note_absence(self, now: float) -> None:
        """Pause the bot: it did not answer an offer."""
        self._pause(Misconduct.ABSENT, now)

    def note_decline(self, now: float) -> None:
        self.declines_left -= 1
        if self.declines_left < 0:
            self.declines_left = 0.0
            self._pause(Misconduct.DECLINED, now)

    def note_match(self, *, has_left: bool, strikes: int, prompts: int, now: float) -> None:
        """Note a match that the bot has played: how many of its prompts led to strikes."""
        if has_left:
            self._pause(Misconduct.LEFT, now)
            return
        self.declines_left = min(FREE_DECLINES, self.declines_left + DECLINES_A_MATCH)
        if strikes >= MIN_STRIKES and strikes > STRIKE_SHARE * prompts:
            if now >= self._slow_until:
                self._slow_until = now + REDUCED_S
            if self.reason is None:
                self.reason, self.until = Misconduct.TOO_MANY_STRIKES, self._slow_until
            return
        self._next_pause_s = max(FIRST_PAUSE_S, self._next_pause_s / PAUSE_DIVISOR)

    def describe(self) -> str:
        """Return the reason as a sentence; empty if there is none."""
        return "" if self.reason is None else _SENTENCES[self.reason]

    def _pause(self, reason: Misconduct, now: float) -> None:
        self.reason, self.until = reason, now + self._next_pause_s
        self._next_pause_s = min(LONGEST_PAUSE_S, 2 * self._next_pause_s)
