"""Keeps ready deals for future matches: journaled, committed and, where possible, shuffled ahead of time.

    DealFactory ──▶ journal ──▶ store's chain ──▶ ReadyDeals.ready ──▶ the next match on the same rules
                                                     └──▶ ReadyDeals.unused, when the rules change: only revealed

Deals are taken in the order of the chain. So anybody can see that nobody chose among them. This module does not use the
store.
"""

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from arena.match.referee.deal import DealSecret, PreparedDeal, rules_hash_of_terms
from arena.match.referee.ports import DealRow, MatchId
from arena.match.referee.terms import Terms

MIN_RUN = 4
"""After a run of this many matches on the same rules, deals are prepared ahead, since more such matches are likely."""
READY_PER_MATCH = 8
"""How many deals are kept ready for each match that the run has had so far. `MAX_READY` limits the total."""
MAX_READY = 256
RUN_TIMEOUT_US = 60_000_000
"""A run ends after this time without a new match. Its ready deals are not used after that: the id of a match comes from
its deal, and contains the time at which the deal was created."""


@dataclass(frozen=True, slots=True)
class AssignedDeal:
    """A deal with the number and id of its match."""

    number: int
    """The number of the match on its node."""
    match_id: MatchId
    secret: DealSecret
    made_at: float
    """Wall clock, seconds since 1970."""
    row: DealRow | None = None
    """The deal's row in the chain; None until it is committed."""
    prepared: PreparedDeal | None = None
    """The deal as prepared without entropy from bots; None if it was not prepared ahead."""


class ReadyDeals:
    """Holds the ready deals for matches of one kind."""

    def __init__(self) -> None:
        self.ready: deque[AssignedDeal] = deque()
        self.unused: list[AssignedDeal] = []
        """The deals that will not be dealt. The committer must reveal them."""
        self.terms: Terms | None = None
        """The terms of the run's latest match; None outside a run."""
        self.has_contributions = False
        """Whether bots contributed entropy to the latest match that was shuffled."""
        self._kind: Hashable = None
        self._run = 0
        self._asked_at = 0

    def take(self, terms: Terms, now: int) -> AssignedDeal | None:
        """Return a ready deal for a new match; None if there is none. A match on other rules ends the run."""
        kind = (rules_hash_of_terms(terms), len(terms.entrants), terms.pace.style)
        if kind != self._kind or now - self._asked_at > RUN_TIMEOUT_US:
            self.clear()
            self._kind = kind
        self.terms, self._asked_at = terms, now
        self._run += 1
        return self.ready.popleft() if self.ready else None

    def clear(self) -> None:
        """End the run and move all ready deals to `unused`."""
        self.unused += self.ready
        self.ready.clear()
        self.terms, self._run = None, 0

    @property
    def shortfall(self) -> int:
        """The number of deals missing from the wanted supply."""
        wanted = min(READY_PER_MATCH * self._run, MAX_READY) if self._run >= MIN_RUN else 0
        return max(0, wanted - len(self.ready))

    @property
    def is_low(self) -> bool:
        """Whether no more than half of the wanted deals are ready."""
        return self.shortfall > 0 and self.shortfall >= len(self.ready)

    def add(self, assigned: Sequence[AssignedDeal], last_number: int) -> None:
        """Add committed deals. They go to `unused` if a higher match number has been assigned meanwhile."""
        is_next = self.terms is not None and assigned[-1:] and assigned[-1].number == last_number
        (self.ready if is_next else self.unused).extend(assigned)
