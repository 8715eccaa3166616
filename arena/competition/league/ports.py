"""The store that a league needs. Its ledger is append-only, except that the end of a block is filled in later."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from arena.ids import WallTime
from arena.match.referee.ports import MatchId
from arena.match.value_class import value_class

OPEN, DONE = "open", "done"
"""States of an attempt at a block: started, and finished."""
VOID = "void"
"""Kind of the ledger entry that makes an attempt void. The block is then played again with another deal."""
COMPARISON_PREFIX = "compare/"
"""The names of comparisons, which are private leagues, begin with this text."""


@value_class()
class LeagueRow:
    name: str
    league_id: str
    """26 characters. The ids of the league's deals contain it."""
    created_at: WallTime
    text: str
    sealed: Mapping[str, Any]
    """The values that the seal hashes."""


@value_class()
class LeagueHead:
    """A sealed league in a list."""

    name: str
    league_id: str
    created_at: WallTime


@value_class()
class LedgerEntry:
    """One event in a league's ledger."""

    number: int
    """From 1, without gaps."""
    at: WallTime
    kind: str
    """What happened: `entropy`, `void`, `restarted` and others."""
    values: Mapping[str, Any] = field(default_factory=dict)


@value_class()
class BlockRow:
    """One attempt at a block."""

    number: int
    attempt: int
    """From 0; one more each time the block is void."""
    round: int
    label: str
    tables: tuple[tuple[str, ...], ...]
    """The names by seat of each table."""
    matches: tuple[MatchId, ...]
    """The match of each table."""
    journals: tuple[str, ...] = ()
    """Journal files of the nodes that have played the attempt, oldest first."""
    state: str = OPEN
    results: tuple[Mapping[str, Any], ...] = ()
    """The result of each table, once the attempt is done."""
    insight: Mapping[str, Any] | None = None
    """Analytics of the attempt's games, as sums that can be added up."""
    ended_at: float | None = None


class LeagueStore(Protocol):
    """The ledger of all leagues. Each method is atomic, and raises StoreError if it fails."""

    async def add_league(self, row: LeagueRow) -> None:
        """Add a sealed league. Raises StoreError if the name is taken."""

    async def league(self, name: str) -> LeagueRow | None:
        """Return a league, or None if no league has this name."""

    async def add_ledger_entry(self, league: str, kind: str, at: float, values: Mapping[str, Any]) -> LedgerEntry:
        """Add an entry to a league's ledger and return it."""

    async def ledger_entries(self, league: str) -> Sequence[LedgerEntry]:
        """Return a league's ledger entries, oldest first."""

    async def open_block(self, league: str, row: BlockRow) -> None:
        """Store an attempt at a block before it begins. If the attempt exists, only add its new journal."""

    async def end_block(self, league: str, row: BlockRow) -> None:
        """Store how an attempt ended. This has no effect on an attempt that has already ended."""

    async def blocks(self, league: str) -> Sequence[BlockRow]:
        """Return all attempts at the league's blocks, ordered by block number and attempt number.

        Their `insight` is None.
        """

    async def block_analytics(self, league: str, numbers: range) -> Mapping[tuple[int, int], Mapping[str, Any]]:
        """Return the analytics of finished attempts at these blocks, by (block, attempt)."""
