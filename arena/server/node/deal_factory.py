"""Creates the deals of a node's matches, on demand or ahead of demand, and journals each deal.

The factory does not use the store. Its callers must commit a deal to the chain before they offer a seat.
"""

from dataclasses import replace

from arena.match.referee.deal import DealSecret, has_long_deck, new_secret, prepare_deal, receipt_issuer
from arena.match.referee.inputs import Deal, write_record
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import Instant
from arena.match.referee.terms import Terms
from arena.server.node.node_ports import NodePorts
from arena.server.node.ready_deals import AssignedDeal, ReadyDeals


class DealFactory:
    """Creates deals, and with each deal the number and id of its future match."""

    def __init__(self, ports: NodePorts) -> None:
        self.ready_deals = ReadyDeals()
        self.last_number = 0
        """The highest match number assigned so far, including the numbers of ready deals."""
        self._journal = ports.journal
        self._sources = ports.sources

    def take_deal(self, terms: Terms, now: Instant, seed: bytes = b"") -> AssignedDeal:
        """Return a ready deal for a match, or a new one.

        A `seed` determines the cards, so a match with a seed always gets a new deal. The ready deals, which have lower
        numbers, are then discarded, because match numbers must keep increasing.
        """
        if seed:
            self.ready_deals.clear()
            return self.make_deal(terms, now, seed)
        return self.ready_deals.take(terms, now) or self.make_deal(terms, now)

    def make_deal(self, terms: Terms, now: Instant, seed: bytes = b"") -> AssignedDeal:
        """Create the deal of a future match and journal it."""
        sources = self._sources
        self.last_number += 1
        match_id = sources.new_id()
        secret = new_secret(match_id, terms, sources.new_seed, seed)
        assigned = AssignedDeal(self.last_number, match_id, secret, sources.wall_clock())
        self.journal_deal(assigned, now)
        return assigned

    def number_deal(self, match_id: MatchId, secret: DealSecret, created_at: float) -> AssignedDeal:
        """Assign a number on this node to a deal that was made elsewhere.

        The ready deals, which have lower numbers, are discarded, because match numbers must keep increasing.
        """
        self.ready_deals.clear()
        self.last_number += 1
        return AssignedDeal(self.last_number, match_id, secret, created_at)

    def journal_deal(self, assigned: AssignedDeal, now: Instant) -> None:
        """Append a deal to the journal."""
        self._journal.append(write_record(assigned.number, Deal(now, now, assigned.secret)))

    def prepare_ahead(self, assigned: AssignedDeal, terms: Terms) -> AssignedDeal:
        """Return the deal with its deck shuffled ahead. The shuffle is of use only if no bot contributes entropy.

        The deal's receipts bind these terms; a match on other terms issues new receipts. The deal is returned
        unchanged if its deck is long, or if bots contributed entropy to the latest match.
        """
        if self.ready_deals.has_contributions or has_long_deck(terms):
            return assigned
        issuer = receipt_issuer(self._sources.signer, assigned.match_id, terms)
        return replace(assigned, prepared=prepare_deal(assigned.secret, (), terms, issuer))
