"""What a league is made of, as plain frozen values: entrants, blocks, and how blocks went."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

PLAY_OFF: Final = "play-off"
"""The label of blocks that decide between those who play in them, and count for nothing else."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot with its version, as one league knows it."""

    name: str
    """At the table; no two of a league have the same."""
    owner: str = ""
    """Who answers for it, as the league's file says; empty: nobody else's."""
    version: str = ""
    content: str = ""
    """SHA-256, hex, over its files; empty for one that dials in."""


@dataclass(frozen=True, slots=True)
class Block:
    """One deal, played at one or more tables at once. Nobody sits at two of them."""

    number: int
    """From 1, in the order of the schedule."""
    round: int
    """From 1. In a format that waits a round begins when the one before it is over."""
    tables: tuple[tuple[str, ...], ...]
    """Names by seat, for each table; all tables of a league have the same number of seats."""
    label: str = ""
    """Such as `final` or `play-off`; empty: nothing special."""

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody who plays in it."""
        return tuple(name for table in self.tables for name in table)


@dataclass(frozen=True, slots=True)
class TableResult:
    """The one game that was played at a table of a block."""

    match_id: str
    seats: tuple[str, ...]
    """Names by seat."""
    places: tuple[int, ...]
    """By seat, 1 is best; seats that share a place have the same number, and the places behind it stay empty."""
    termination: str
    """How the game ended, in the rules' words."""
    forfeits: frozenset[str] = frozenset()
    """Who did not come, or gave up; the others' scores at this table are marked."""
    strikes: tuple[Mapping[str, int], ...] = field(default=(), hash=False)
    """By seat: late, illegal, missing, gone."""
    turn_count: int = 0


@dataclass(frozen=True, slots=True)
class BlockResult:
    """How a block went; of one that was void and played again this is the last time."""

    block: Block
    tables: tuple[TableResult, ...]
    """In the order of the block's tables."""
    attempt: int = 0
    """How often it had been void before."""
