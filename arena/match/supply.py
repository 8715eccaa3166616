"""The deals of a node's matches: recorded when they are made, be it with their match or ahead of it.

It knows nothing of stores: that a deal is in the chain before a seat is offered is for others to see to.
"""

from dataclasses import replace

from arena.match.deal import is_long, new_secret, prepare
from arena.match.deal_values import describe_secret
from arena.match.furnishing import Furnishing
from arena.match.inputs import Input, Kind, write
from arena.match.shared import SharedTable
from arena.match.shoe import LaidDeal, Shoe
from arena.match.terms import Terms


class Supply:
    """Makes deals; each is bound to a match to come, whose number and id it gives."""

    def __init__(self, furnishing: Furnishing) -> None:
        self.shoe = Shoe()
        self.last_number = 0
        """Of the matches made so far, those for which a deal lies ready among them."""
        self._journal = furnishing.journal
        self._sources = furnishing.sources

    def take(self, terms: Terms, now: int, seed: bytes = b"") -> LaidDeal:
        """Give a match its deal: one that lies ready, or a new one. Numbers go up, so that none lies ready behind it.

        `seed`: somebody has chosen the cards.
        """
        if seed:
            self.shoe.clear()
            return self.lay(terms, now, seed)
        return self.shoe.take(terms, now) or self.lay(terms, now)

    def lay(self, terms: Terms, now: int, seed: bytes = b"") -> LaidDeal:
        """Make the deal of a match to come; it goes to the journal."""
        sources = self._sources
        self.last_number += 1
        match_id = sources.new_id()
        secret = new_secret(match_id, terms, sources.new_seed, seed)
        laid = LaidDeal(self.last_number, match_id, secret, sources.wall_clock())
        self.record(laid, now)
        return laid

    def number(self, table: SharedTable) -> LaidDeal:
        """Give the deal of a table that shares it its number here. Numbers go up: nothing lies ready any more."""
        self.shoe.clear()
        self.last_number += 1
        return LaidDeal(self.last_number, table.match_id, table.secret, table.created_at)

    def record(self, laid: LaidDeal, now: int) -> None:
        """Have a deal go to the journal."""
        self._journal.append(write(Input(Kind.DEAL, laid.number, now, now, begin=describe_secret(laid.secret))))

    def prepare_ahead(self, laid: LaidDeal, terms: Terms) -> LaidDeal:
        """Work out what a deal is if no bot adds to its luck; not for a long deck, or if bots added to the last."""
        if self.shoe.is_added_to or is_long(terms):
            return laid
        return replace(laid, prepared=prepare(laid.secret, (), terms, self._sources.signer))
