"""The basic values of a league, plain and frozen: entrants, blocks, results of blocks, and dates."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final

from arena.ids import WallTime
from arena.match.value_class import value_class

PLAY_OFF: Final = "play-off"
"""Label of play-off blocks. They decide among the contenders and count for nothing else."""


@value_class()
class Entrant:
    """A bot with its version, as one league knows it."""

    name: str
    """Name at the table; unique in a league."""
    owner: str = ""
    """The owner, from the league's file. An entrant without an owner counts as an owner by itself."""
    version: str = ""
    content: str = ""
    """SHA-256 over the bot's files, in hex; empty for a bot that connects by itself."""


@value_class()
class Block:
    """One deal, played at one or more tables at the same time. No entrant sits at two of these tables."""

    number: int
    """From 1, in the order of the schedule."""
    round: int
    """From 1. If the format depends on results, a round begins when the previous one is over."""
    tables: tuple[tuple[str, ...], ...]
    """The names by seat of each table. All tables of a league have the same number of seats."""
    label: str = ""
    """For example `final` or `play-off`; empty for an ordinary block."""

    @property
    def names(self) -> tuple[str, ...]:
        """All entrants of the block, by table and seat."""
        return tuple(name for table in self.tables for name in table)


@value_class()
class TableResult:
    """The result of the one game played at a table of a block."""

    match_id: str
    seats: tuple[str, ...]
    """Names by seat."""
    places: tuple[int, ...]
    """The place of each seat; 1 is best. Tied seats have the same place, and the places after them stay empty."""
    termination: str
    """Why the game ended, as a word of the game's rules."""
    forfeits: frozenset[str] = frozenset()
    """Entrants that did not come or gave up. The scores of the others at this table are marked."""
    strikes: tuple[Mapping[str, int], ...] = field(default=(), hash=False)
    """The number of strikes of each seat, by kind (late, illegal, missing, gone)."""
    turn_count: int = 0
    luck: tuple[float, ...] = ()
    """The luck of each seat's dealt hand, 0 in the mean of a deal; empty in results of earlier versions, and if the
    places are those of another game."""
    places_of: str = ""
    """The void game of this table whose places count; empty if the game's own places count."""


@value_class()
class BlockResult:
    """The result of a block. If the block was void and played again, this is the result of the last attempt."""

    block: Block
    tables: tuple[TableResult, ...]
    """In the order of the block's tables."""
    attempt: int = 0
    """Number of void attempts before this one."""
    share: float = 1.0
    """The part of a block that it counts as in ratings with a prior, above 0."""


@value_class()
class RoundDate:
    """When tables of consecutive rounds may begin, and how long they wait for absent bots."""

    first: int
    """The first round, from 1."""
    last: int
    """The last round, at least `first`."""
    opens: WallTime
    """From this time on, a table begins as soon as all its bots are connected."""
    closes: WallTime
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
