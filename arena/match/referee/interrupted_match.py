"""A match that a stopped server left unfinished, as it is in the server's journal and as another node resumes it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from arena.errors import JournalError
from arena.match.referee.deal import DealSecret
from arena.match.referee.inputs import rebase_record, record_times
from arena.match.referee.match_offer import MatchOffer
from arena.match.referee.scalars import Instant
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


MAX_MATCH_AGE_US: Final = 30 * 24 * 3_600_000_000
"""The instant at which node clocks start, in microseconds. Earlier instants are for the records of a match that another
node began, so such a match can continue if it lasted less than this."""


def rebase_records(records: Sequence[bytes], number: int, now: Instant) -> list[bytes]:
    """Return a match's records under another number, with all instants shifted so that the last one is `now`.

    The intervals stay the same, so that the match continues as if no time had passed since the interruption. Raises
    JournalError if the match lasted longer than the node's clock has run.
    """
    first, last = record_times(records[0])[0], max(record_times(record)[1] for record in records)
    if first + now < last:
        raise JournalError("the match has lasted longer than the clock of its new node has run")
    return [rebase_record(record, number, now - last) for record in records]
