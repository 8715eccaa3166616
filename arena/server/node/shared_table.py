"""Describes a table that plays a shared deal; its match may have begun on another node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.match.referee.deal import DealSecret
from arena.match.referee.ports import MatchId
from arena.match.referee.terms import Terms


@dataclass(frozen=True, slots=True)
class SharedTable:
    """The terms, entrants and deal of a table. The caller that requests the table keeps the deal's commitment."""

    match_id: MatchId
    terms: Terms
    secret: DealSecret
    created_at: float
    """Wall clock, seconds since 1970."""
    instance: str
    """The instance of the sessions that are not in `own_instances`. Sessions of another instance cannot take a seat."""
    away: frozenset[str] = frozenset()
    """The entrants that will not connect. They forfeit."""
    records: Sequence[bytes] = field(default=(), repr=False)
    """The records of the match up to its interruption on another node; empty if the match has not begun."""
    needs_everybody: bool = False
    """What happens if an entrant that is not in `away` does not take its seat: if true, the table is withdrawn; if
    false, the entrant forfeits."""
    own_instances: Mapping[str, str] = field(default_factory=dict)
    """The instances, by name, of the entrants whose instance is not `instance`."""

    def instance_of(self, name: str) -> str:
        """Return the instance of an entrant's session."""
        return self.own_instances.get(name, self.instance)
