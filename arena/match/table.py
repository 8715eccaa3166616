"""A running match: takes inputs in the order of the node, journals each before anybody is told, passes on the orders.

Synchronous. The audience may encode at once, but nothing reaches a bot before the journal's group is kept; that gate is
the audience's and the journal's business.
"""

from collections.abc import Sequence
from typing import Protocol

from arena.match.deal import MatchDeal
from arena.match.facts import MatchEnded
from arena.match.inputs import Answer, Begin, Disconnect, Drawn, Input, Leave, Reconnect, Tick, write_record
from arena.match.match_record import MatchRecorder, ObserveEntrant
from arena.match.orders import AnnounceFact, DrawChance, GiveReceipt, Order
from arena.match.ports import ChanceSource, Journal, MatchId
from arena.match.referee import Referee
from arena.match.replay import Replay
from arena.match.scalars import EntrantIndex, Instant
from arena.match.terms import Terms
from arena.rules.game import Style

_ENTRANT_MESSAGES = (Answer, Leave, Disconnect, Reconnect)
"""The messages of entrants before which a live table does what is due."""


class Audience(Protocol):
    """Whoever is told what happens at a table."""

    def publish(self, orders: Sequence[Order]) -> None:
        """Pass on what one input has led to, each viewer's part to it alone."""


class Table:
    """Where a running match sits; `apply` is the one way in."""

    def __init__(
        self,
        number: int,
        match_id: MatchId,
        terms: Terms,
        journal: Journal,
        chance: ChanceSource,
        audience: Audience,
        keeps_records: bool = True,
        see: ObserveEntrant | None = None,
    ) -> None:
        """`keeps_records`: write down what is to be kept of the match. `see` is asked about whoever has a fault."""
        self.number = number
        self.match_id = match_id
        self.terms = terms
        self.referee = Referee(terms)
        self.recorder = MatchRecorder(match_id, terms) if keeps_records else None
        """None: nothing of the match will be kept but its journal."""
        self.deal = chance if isinstance(chance, MatchDeal) else None
        """Is told with the end of the match; None: somebody else answers for the cards."""
        self._is_live = terms.pace.style is Style.LIVE
        self._journal = journal
        self._chance = chance
        self._audience = audience
        self._observe = see

    @property
    def due(self) -> Instant | None:
        """When something happens by itself next."""
        return self.referee.due

    def apply(self, entry: Input) -> None:
        """Take an input: journal it and tell the audience what it leads to.

        Live: what is due comes before a message of the same instant (spec A11), however late it is acted on.
        Sealed: an answer that arrives at its deadline counts, and a later one is late in any case.
        """
        if self._is_live and isinstance(entry, _ENTRANT_MESSAGES):
            while (due := self.referee.due) is not None and due <= entry.at:
                self._take(Tick(due, entry.now))
        self._take(entry)

    def resume(self, replay: Replay, records: Sequence[bytes]) -> None:
        """Stand where another node's table stood. What was told there is gone through again, so that it can be resumed.

        `records` are those that the replay reads; they go to the journal.
        """
        self.referee = replay.referee
        for record in records:
            self._journal.append(record)
        for moment in replay.moments():
            entry, orders = moment.entry, list(moment.orders)
            if isinstance(entry, Begin):
                orders[1:1] = self._receipt_orders()
            if orders:
                if self.recorder is not None:
                    self.recorder.record_orders(entry.at, entry.now, orders)
                self._audience.publish(orders)

    def _take(self, entry: Input) -> None:
        """Journal an input, put it to the referee, draw what is wanted until nothing is, then tell the audience."""
        self._journal.append(write_record(self.number, entry))
        orders = told = self.referee.apply(entry)
        if type(entry) is Begin:
            told[1:1] = self._receipt_orders()
        while orders and type(orders[-1]) is DrawChance:
            draw = orders[-1]
            drawn = Drawn(entry.at, entry.now, tuple(self._chance.draw(draw.game, draw.chance)))
            self._journal.append(write_record(self.number, drawn))
            orders = self.referee.apply(drawn)
            told += orders
        if told:
            if self.recorder is not None:
                self.recorder.record_orders(entry.at, entry.now, told, self._observe)
            if self.referee.ended is not None:
                self._add_revealed_deal(told)
            self._audience.publish(told)

    def _receipt_orders(self) -> list[Order]:
        """What every entrant is given before its first card."""
        prepared = None if self.deal is None else self.deal.prepared
        receipts = () if prepared is None else prepared.receipts
        return [GiveReceipt(EntrantIndex(entrant), own) for entrant, own in enumerate(receipts)]

    def _add_revealed_deal(self, told: list[Order]) -> None:
        """Tell the deal right before the end of the match: the one place where its secrets leave.

        A shared deal is told nobody while another table may play it; whoever made it opens it.
        """
        if self.deal is None or self.deal.secret.is_shared:
            return
        for index, order in enumerate(told):
            if isinstance(order, AnnounceFact) and isinstance(order.fact, MatchEnded):
                told.insert(index, AnnounceFact(self.deal.reveal()))
                return
