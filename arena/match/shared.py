"""One table of a deal that several tables share, as whoever plays them asks for it; it may have begun elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.match.deal import DealSecret
from arena.match.deal_values import secret_from
from arena.match.inputs import Kind, read
from arena.match.moving import moved_to
from arena.match.ports import MatchId
from arena.match.replay import Replay
from arena.match.terms import Terms


@dataclass(frozen=True, slots=True)
class SharedTable:
    """What is played, by whom, with which cards. The deal's commitment is kept by whoever asks."""

    match_id: MatchId
    terms: Terms
    secret: DealSecret
    created_at: float
    """Wall clock, seconds since 1970."""
    away: frozenset[str] = frozenset()
    """Entrants who will not come: they forfeit."""
    records: Sequence[bytes] = field(default=(), repr=False)
    """What another node has recorded of it before it was cut off; empty: it has not begun."""

    def replay_at(self, number: int, now: int) -> tuple[Replay, list[bytes]]:
        """The match as it stood, to be played on under another number; its records as they are to be written again.

        Raises JournalError for records that are none, or do not begin with a beginning.
        """
        records = moved_to(self.records, number, now)
        return Replay(records, {self.terms.game.name: self.terms.game}), records


def is_begun(records: Sequence[bytes]) -> bool:
    """Whether a match has begun by these records: one that was only offered can be offered again."""
    return any(record[0] == Kind.BEGIN for record in records[:2])


def match_named(records: Sequence[bytes]) -> Any:
    """The deal that a match's records begin with, and its match id where it has begun."""
    first = read(records[0])
    begin = read(records[1]).begin if is_begun(records) else None
    secret = None if first.begin is None or first.kind is not Kind.DEAL else secret_from(first.begin)
    return secret, None if begin is None else begin["match_id"]
