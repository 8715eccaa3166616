"""One table of a deal that several tables share, as whoever plays them asks for it; it may have begun elsewhere."""

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
    """What is played, by whom, with which cards. The deal's commitment is kept by whoever asks."""

    match_id: MatchId
    terms: Terms
    secret: DealSecret
    created_at: float
    """Wall clock, seconds since 1970."""
    instance: str
    """Of everybody's session: no other session of the same name can take the seat."""
    away: frozenset[str] = frozenset()
    """Entrants who will not come: they forfeit."""
    records: Sequence[bytes] = field(default=(), repr=False)
    """What another node has recorded of it before it was cut off; empty: it has not begun."""

    def rebase_replay(self, number: int, now: Instant) -> tuple[Replay, list[bytes]]:
        """The match as it stood, to be played on under another number; its records as they are to be written again.

        Raises JournalError for records that are none, or do not begin with a beginning.
        """
        records = rebase_records(self.records, number, now)
        return Replay(records, {self.terms.game.name: self.terms.game}), records
