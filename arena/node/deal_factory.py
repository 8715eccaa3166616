"""The deals of a node's matches: recorded when they are made, be it with their match or ahead of it.

It knows nothing of stores: that a deal is in the chain before a seat is offered is for others to see to.
"""

from dataclasses import replace

from arena.match.deal import has_long_deck, new_secret, prepare_deal
from arena.match.inputs import Deal, write_record
from arena.match.scalars import Instant
from arena.match.terms import Terms
from arena.node.node_ports import NodePorts
from arena.node.ready_deals import AssignedDeal, ReadyDeals
from arena.node.shared_table import SharedTable


class DealFactory:
    """Makes deals; each is bound to a match to come, whose number and id it gives."""

    def __init__(self, furnishing: NodePorts) -> None:
        self.ready_deals = ReadyDeals()
        self.last_number = 0
        """Of the matches made so far, those for which a deal lies ready among them."""
        self._journal = furnishing.journal
        self._sources = furnishing.sources

    def take_deal(self, terms: Terms, now: Instant, seed: bytes = b"") -> AssignedDeal:
        """Give a match its deal: one that lies ready, or a new one. Numbers go up, so that none lies ready behind it.

        `seed`: somebody has chosen the cards.
        """
        if seed:
            self.ready_deals.clear()
            return self.make_deal(terms, now, seed)
        return self.ready_deals.take(terms, now) or self.make_deal(terms, now)

    def make_deal(self, terms: Terms, now: Instant, seed: bytes = b"") -> AssignedDeal:
        """Make the deal of a match to come; it goes to the journal."""
        sources = self._sources
        self.last_number += 1
        match_id = sources.new_id()
        secret = new_secret(match_id, terms, sources.new_seed, seed)
        laid = AssignedDeal(self.last_number, match_id, secret, sources.wall_clock())
        self.journal_deal(laid, now)
        return laid

    def number_shared_deal(self, table: SharedTable) -> AssignedDeal:
        """Give the deal of a table that shares it its number here. Numbers go up: nothing lies ready any more."""
        self.ready_deals.clear()
        self.last_number += 1
        return AssignedDeal(self.last_number, table.match_id, table.secret, table.created_at)

    def journal_deal(self, laid: AssignedDeal, now: Instant) -> None:
        """Have a deal go to the journal."""
        self._journal.append(write_record(laid.number, Deal(now, now, laid.secret)))

    def prepare_ahead(self, laid: AssignedDeal, terms: Terms) -> AssignedDeal:
        """Work out what a deal is if no bot adds to its luck; not for a long deck, or if bots added to the last."""
        if self.ready_deals.has_contributions or has_long_deck(terms):
            return laid
        return replace(laid, prepared=prepare_deal(laid.secret, (), terms, self._sources.signer))
