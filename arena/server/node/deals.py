"""Creates the deals of a node's matches and journals each, on demand or ahead, where possible with a shuffled deck.

    DealFactory ──▶ journal ──▶ store's chain ──▶ ReadyDeals.ready ──▶ the next match on the same rules
                                                     └──▶ ReadyDeals.unused, when the rules change: only revealed

Deals are taken in the order of the chain. So anybody can see that nobody chose among them. This module does not use the
store: who calls it commits a deal to the chain before a seat is offered.
"""

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, replace

from arena.match.referee.deal import (
    DealSecret,
    PreparedDeal,
    has_long_deck,
    new_secret,
    prepare_deal,
    receipt_issuer,
    rules_hash_of_terms,
    signs_elsewhere,
)
from arena.match.referee.inputs import Deal, write_record
from arena.match.referee.ports import DealRow, Journal, MatchId, Signer
from arena.match.referee.scalars import Instant
from arena.match.referee.terms import Terms
from arena.match.value_class import value_class

MIN_RUN = 4
"""After a run of this many matches on the same rules, deals are prepared ahead, since more such matches are likely."""
READY_PER_MATCH = 8
"""How many deals are kept ready for each match that the run has had so far. `MAX_READY` limits the total."""
MAX_READY = 256
RUN_TIMEOUT_US = 60_000_000
"""A run ends after this time without a new match. Its ready deals are not used after that: the id of a match comes from
its deal, and contains the time at which the deal was created."""


@value_class()
class Sources:
    new_id: Callable[[], MatchId]
    new_seed: Callable[[], bytes]
    """Returns 32 random bytes, different ones each time."""
    wall_clock: Callable[[], float]
    """Returns seconds since 1970."""
    signer: Signer | None = None
    """Signs deal receipts; None if no receipts are issued."""


@value_class()
class AssignedDeal:
    number: int
    """The number of the match on its node."""
    match_id: MatchId
    secret: DealSecret
    made_at: float
    """Wall clock, seconds since 1970."""
    row: DealRow | None = None
    """The deal's row in the chain; None until it is committed."""
    prepared: PreparedDeal | None = None
    """The deal without entropy from bots; None if it was not prepared ahead."""


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
        """Return None if no deal is ready. A match on other rules ends the run."""
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
        """How many deals the wanted supply lacks."""
        wanted = min(READY_PER_MATCH * self._run, MAX_READY) if self._run >= MIN_RUN else 0
        return max(0, wanted - len(self.ready))

    @property
    def is_low(self) -> bool:
        """Whether no more than half of the wanted deals are ready."""
        return self.shortfall > 0 and self.shortfall >= len(self.ready)

    def add(self, assigned: Sequence[AssignedDeal], last_made: int) -> None:
        """Add committed deals. They go to `unused` if the node has made another deal meanwhile, `last_made`."""
        is_next = self.terms is not None and assigned[-1:] and assigned[-1].number == last_made
        (self.ready if is_next else self.unused).extend(assigned)


class DealFactory:
    """Makes deals, each with the number and id of its future match."""

    def __init__(self, journal: Journal, sources: Sources) -> None:
        self.ready_deals = ReadyDeals()
        self.last_number = 0
        """The highest match number assigned so far, including the numbers of ready deals."""
        self.last_made = 0
        """The number of the newest deal that was made here."""
        self._journal = journal
        self._sources = sources

    def take_deal(self, terms: Terms, now: Instant, seed: bytes = b"") -> AssignedDeal:
        """Return a ready deal for a match, or a new one.

        A `seed` determines the cards, so a match with a seed always gets a new deal. The ready deals, which come before
        it in the chain, are then discarded, because deals are taken in the order of the chain.
        """
        if seed:
            self.ready_deals.clear()
            return self.make_deal(terms, now, seed)
        return self.ready_deals.take(terms, now) or self.make_deal(terms, now)

    def make_deal(self, terms: Terms, now: Instant, seed: bytes = b"") -> AssignedDeal:
        sources = self._sources
        self.last_number += 1
        self.last_made = self.last_number
        match_id = sources.new_id()
        secret = new_secret(match_id, terms, sources.new_seed, seed)
        assigned = AssignedDeal(self.last_number, match_id, secret, sources.wall_clock())
        self.journal_deal(assigned, now)
        return assigned

    def number_deal(self, match_id: MatchId, secret: DealSecret, created_at: float) -> AssignedDeal:
        """Assign a number on this node to a deal that was made elsewhere.

        The ready deals stay: such a deal is not taken from the chain, so nobody chooses by it among those of the chain.
        """
        self.last_number += 1
        return AssignedDeal(self.last_number, match_id, secret, created_at)

    def journal_deal(self, assigned: AssignedDeal, now: Instant) -> None:
        self._journal.append(write_record(assigned.number, Deal(now, now, assigned.secret)))

    def prepare_ahead(self, assigned: AssignedDeal, terms: Terms) -> AssignedDeal:
        """Return the deal with its deck shuffled ahead. The shuffle is of use only if no bot contributes entropy.

        The deal's receipts bind these terms; a match on other terms issues new receipts. The deal is returned
        unchanged if its deck is long or its receipts are signed elsewhere, or if bots contributed entropy to the
        latest match.
        """
        signer = self._sources.signer
        if self.ready_deals.has_contributions or has_long_deck(terms) or signs_elsewhere(signer):
            return assigned
        issuer = receipt_issuer(signer, assigned.match_id, terms)
        return replace(assigned, prepared=prepare_deal(assigned.secret, (), terms, issuer))


@value_class()
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
        return self.own_instances.get(name, self.instance)
