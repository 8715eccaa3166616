"""The basic values of a league, plain and frozen: entrants, blocks, and results of blocks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

PLAY_OFF: Final = "play-off"
"""Label of play-off blocks. They decide among the contenders and count for nothing else."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot with its version, as one league knows it."""

    name: str
    """Name at the table; unique in a league."""
    owner: str = ""
    """The owner, from the league's file. An entrant without an owner counts as an owner by itself."""
    version: str = ""
    content: str = ""
    """SHA-256 over the bot's files, in hex; empty for a bot that connects by itself."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
    """The luck of each seat's dealt hand, 0 in the mean of a deal; empty in results of earlier versions."""


@dataclass(frozen=True, slots=True)
class BlockResult:
    """The result of a block. If the block was void and played again, this is the result of the last attempt."""

    block: Block
    tables: tuple[TableResult, ...]
    """In the order of the block's tables."""
    attempt: int = 0
    """Number of void attempts before this one."""
