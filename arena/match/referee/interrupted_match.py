"""A match that a stopped server left unfinished, as it is in the server's journal."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.match.referee.deal import DealSecret
from arena.match.referee.match_offer import MatchOffer
from arena.match.referee.terms import Terms


@dataclass(frozen=True, slots=True)
class InterruptedMatch:
    """Contains the data that a server needs to continue a match where it stopped."""

    offer: MatchOffer
    terms: Terms
    secret: DealSecret
    records: Sequence[bytes] = field(repr=False)
    """The match's records: its deal and, if the match has begun, all of its inputs."""

    @property
    def is_started(self) -> bool:
        """Whether the first card was dealt. If not, the seats were only offered."""
        return len(self.records) > 1
