"""Describes a table whose deal several tables share, and which may have begun on another node."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.match.deal import DealSecret
from arena.match.ports import MatchId
from arena.match.replay import Replay
from arena.match.scalars import Instant
from arena.match.terms import Terms
from arena.node.record_rebase import rebase_records


@dataclass(frozen=True, slots=True)
class SharedTable:
    """Holds the terms, entrants and cards of a table. The requester keeps the deal's commitment."""

    match_id: MatchId
    terms: Terms
    secret: DealSecret
    created_at: float
    """Wall clock, seconds since 1970."""
    instance: str
    """The instance of every session: no other session of the same name can take the seat."""
    away: frozenset[str] = frozenset()
    """The entrants that will not connect and forfeit."""
    records: Sequence[bytes] = field(default=(), repr=False)
    """The records of another node up to an interruption; empty if the match has not begun."""

    def rebase_replay(self, number: int, now: Instant) -> tuple[Replay, list[bytes]]:
        """Return a replay of the interrupted match under another number, and its records to be journaled again.

        Raises JournalError for invalid records and for records that do not start with the match's beginning.
        """
        records = rebase_records(self.records, number, now)
        return Replay(records, {self.terms.game.name: self.terms.game}), records
