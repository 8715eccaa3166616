"""Deals that lie ready for matches that nobody has asked for yet: recorded, committed, shuffled where that can be.

    Supply.lay ──▶ journal ──▶ store's chain ──▶ Shoe.ready ──▶ the next match on the same rules
                                                     └────────▶ Shoe.unused, when other rules come: opened, never dealt

They are taken in their order, so that neither matches nor the chain tell of a choice. It knows nothing of stores.
"""

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from arena.match.deal import DealSecret, PreparedDeal, rules_hash_of_terms
from arena.match.ports import DealRow, MatchId
from arena.match.terms import Terms

MIN_RUN = 4
"""Deals are laid ready from so many matches in a row on: then more of them are likely."""
READY_PER_MATCH = 8
"""So many deals for each match of the run lie ready."""
MAX_READY = 256
RUN_TIMEOUT_US = 60_000_000
"""A run is over when nobody has asked for a match for so long: by then ids that tell of the time would be wrong."""


@dataclass(frozen=True, slots=True)
class AssignedDeal:
    """A deal and the match that it is bound to."""

    number: int
    """The match's on its node."""
    match_id: MatchId
    secret: DealSecret
    made_at: float
    """Wall clock, seconds since 1970."""
    row: DealRow | None = None
    """Its link of the chain; None: it has none yet."""
    prepared: PreparedDeal | None = None
    """What it is if no bot adds to its luck; None: not worked out yet."""


class ReadyDeals:
    """The deals that lie ready, for matches of one kind."""

    def __init__(self) -> None:
        self.ready: deque[AssignedDeal] = deque()
        self.unused: list[AssignedDeal] = []
        """Will not be dealt; to be opened by whoever keeps the chain."""
        self.terms: Terms | None = None
        """Of the run's latest match."""
        self.has_contributions = False
        """Whether bots have added to the luck of the latest match that began."""
        self._kind: Hashable = None
        self._run = 0
        self._asked_at = 0

    def take(self, terms: Terms, now: int) -> AssignedDeal | None:
        """A match is made: give its deal, if one lies ready."""
        kind = (rules_hash_of_terms(terms), len(terms.entrants), terms.pace.style)
        if kind != self._kind or now - self._asked_at > RUN_TIMEOUT_US:
            self.clear()
            self._kind = kind
        self.terms, self._asked_at = terms, now
        self._run += 1
        return self.ready.popleft() if self.ready else None

    def clear(self) -> None:
        """End the run: what lies ready will not be used."""
        self.unused += self.ready
        self.ready.clear()
        self.terms, self._run = None, 0

    @property
    def shortfall(self) -> int:
        """How many deals could be laid ready besides."""
        wanted = min(READY_PER_MATCH * self._run, MAX_READY) if self._run >= MIN_RUN else 0
        return max(0, wanted - len(self.ready))

    @property
    def is_low(self) -> bool:
        """Whether it is time to: no more than half of them lie there."""
        return self.shortfall > 0 and self.shortfall >= len(self.ready)

    def add(self, laid: Sequence[AssignedDeal], last_number: int) -> None:
        """Take deals that were committed; of no use if a match has a higher number by now: numbers go up."""
        is_next = self.terms is not None and laid[-1:] and laid[-1].number == last_number
        (self.ready if is_next else self.unused).extend(laid)
