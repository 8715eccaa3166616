"""The dates of a league. They say from when tables may begin, and until when tables wait for absent bots."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RoundDate:
    """The date of one or more consecutive rounds. Times are in seconds since 1970."""

    first: int
    """The first round, from 1."""
    last: int
    """The last round, at least `first`."""
    opens: float
    """From this time on, a table begins as soon as all its bots are connected."""
    closes: float
    """From this time on, tables begin without absent bots, which forfeit. This time is later than `opens`."""

    def has(self, number: int) -> bool:
        """Return whether a round is on this date."""
        return self.first <= number <= self.last

    @property
    def length_s(self) -> float:
        """Seconds from opening to close."""
        return self.closes - self.opens


def find_date(dates: Sequence[RoundDate], number: int) -> RoundDate | None:
    """Return the date of a round, from 1; None if the league has no dates.

    Late entrants may add rounds to a league. The added rounds have the last date.

    >>> dates = [RoundDate(1, 2, 0.0, 10.0), RoundDate(3, 3, 20.0, 30.0)]
    >>> [find_date(dates, number) is dates[index] for number, index in ((2, 0), (3, 1), (4, 1))]
    [True, True, True]
    """
    return next((date for date in dates if number <= date.last), dates[-1] if dates else None)
