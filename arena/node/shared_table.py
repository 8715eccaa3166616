"""Describes a table that plays a shared deal; its match may have begun on another node."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.match.deal import DealSecret
from arena.match.ports import MatchId
from arena.match.terms import Terms


@dataclass(frozen=True, slots=True)
class SharedTable:
    """The terms, entrants and deal of a table. The caller that requests the table keeps the deal's commitment."""

    match_id: MatchId
    terms: Terms
    secret: DealSecret
    created_at: float
    """Wall clock, seconds since 1970."""
    instance: str
    """The instance of every session; a session of another instance cannot take a seat."""
    away: frozenset[str] = frozenset()
    """The entrants that will not connect and forfeit."""
    records: Sequence[bytes] = field(default=(), repr=False)
    """The records of the match up to its interruption on another node; empty if the match has not begun."""
    needs_everybody: bool = False
    """Whether the table is withdrawn if an entrant that is not away does not take its seat. If false, this entrant
    forfeits."""
