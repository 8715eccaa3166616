"""What a league needs of a store: its ledger, to which is added and in which only the end of a block is filled in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.match.ports import MatchId

OPEN, DONE = "open", "done"
"""States of an attempt at a block: begun, and over."""
VOID = "void"
"""The kind of the act by which an attempt counts no more: the block is played again with another deal."""


@dataclass(frozen=True, slots=True)
class LeagueRow:
    """A league as it was sealed."""

    name: str
    league_id: str
    """26 characters; part of the ids of its deals."""
    created_at: float
    """Wall clock, seconds since 1970."""
    text: str
    """The file, word for word."""
    sealed: Mapping[str, Any]
    """What the seal is a hash of."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """Something that happened to a league: one line of its ledger."""

    number: int
    """From 1, without a gap."""
    at: float
    """Wall clock, seconds since 1970."""
    kind: str
    """Such as `entropy`, `void`, `restarted`."""
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BlockRow:
    """One attempt at a block."""

    number: int
    attempt: int
    """From 0; one more each time that the block was void."""
    round: int
    label: str
    tables: tuple[tuple[str, ...], ...]
    """Names by seat."""
    matches: tuple[MatchId, ...]
    """One a table."""
    journals: tuple[str, ...] = ()
    """Files of the nodes that have had it, oldest first."""
    state: str = OPEN
    results: tuple[Mapping[str, Any], ...] = ()
    """Of each table, when it is done."""
    insight: Mapping[str, Any] | None = None
    """What its games say about the bots, to be summed."""
    ended_at: float | None = None


class LeagueStore(Protocol):
    """The ledger. Each call is done wholly or not at all, and raises StoreError where it cannot be."""

    async def add_league(self, row: LeagueRow) -> None:
        """Keep a league that was sealed. Raises StoreError where another one has its name."""

    async def league(self, name: str) -> LeagueRow | None:
        """Give a league; None: there is none of that name."""

    async def add_ledger_entry(self, league: str, kind: str, at: float, values: Mapping[str, Any]) -> LedgerEntry:
        """Add a line to a league's ledger."""

    async def ledger_entries(self, league: str) -> Sequence[LedgerEntry]:
        """The lines of a league's ledger in their order."""

    async def open_block(self, league: str, row: BlockRow) -> None:
        """Keep an attempt at a block before it begins; it may be there already, and then gets another journal."""

    async def end_block(self, league: str, row: BlockRow) -> None:
        """Keep how an attempt ended. One that has ended stays as it is."""

    async def blocks(self, league: str) -> Sequence[BlockRow]:
        """All attempts, by number and attempt, without their insight."""

    async def block_analytics(self, league: str, numbers: range) -> Mapping[tuple[int, int], Mapping[str, Any]]:
        """What each attempt at one of these blocks that is done says about the bots, by block and attempt."""
