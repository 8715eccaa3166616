"""A running match: takes inputs in the node's order, journals each one, applies it and publishes the orders.

The table is synchronous. The audience of the table may encode orders immediately, but must hold the messages back until
the journal has written the inputs that caused them.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from arena.match.game import Style
from arena.match.referee.deal import MatchDeal
from arena.match.referee.facts import MatchEnded
from arena.match.referee.inputs import Answer, Begin, Disconnect, Drawn, Input, Leave, Reconnect, Tick, write_record
from arena.match.referee.match_record import MatchRecorder, ObserveEntrant
from arena.match.referee.orders import AnnounceFact, DrawChance, GiveReceipt, Order
from arena.match.referee.ports import ChanceSource, Journal, MatchId
from arena.match.referee.referee import Referee
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, Instant, StreamSequence
from arena.match.referee.terms import Terms

_ENTRANT_MESSAGES = (Answer, Leave, Disconnect, Reconnect)
"""The inputs that come from entrants. Before each of them, a live table handles what is due."""


RestoreViewers = Callable[[Sequence[Order], StreamSequence], None]
"""Takes over the viewers of another node's table: the orders whose content snapshots repeat, and the last sequence."""


class Audience(Protocol):
    """Receives everything that happens at a table."""

    def publish(self, orders: Sequence[Order]) -> None:
        """Pass on the orders of one input. Each viewer gets only its own part."""


class MatchTable(Protocol):
    """Plays a match: `Table` or a substitute."""

    @property
    def referee(self) -> Referee: ...

    @property
    def recorder(self) -> MatchRecorder | None:
        """Records the match for the store; None if nothing is stored."""

    def apply(self, entry: Input) -> None: ...


class Table:
    """Runs one match; inputs come in through `apply`."""

    def __init__(
        self,
        number: int,
        match_id: MatchId,
        terms: Terms,
        journal: Journal,
        chance: ChanceSource,
        audience: Audience,
        keeps_records: bool = True,
        observe: ObserveEntrant | None = None,
    ) -> None:
        """`keeps_records`: whether to record the match for the store. `observe` returns the conditions of a strike."""
        self.number = number
        self.match_id = match_id
        self.terms = terms
        self.referee = Referee(terms)
        self.recorder = MatchRecorder(match_id, terms) if keeps_records else None
        """Records the match for the store; None if only the journal is kept."""
        self.deal = chance if isinstance(chance, MatchDeal) else None
        """The deal, revealed at the end of the match; None if the chance source is not a `MatchDeal`."""
        self._is_live = terms.pace.style is Style.LIVE
        self._journal = journal
        self._chance = chance
        self._audience = audience
        self._observe = observe

    @property
    def due(self) -> Instant | None:
        """The next instant at which something happens without input; None if there is none."""
        return self.referee.due

    def apply(self, entry: Input) -> None:
        """Journal an input, apply it and publish its orders.

        Live style: before an entrant's input, the table handles everything that is due up to the input's instant (spec
        A11). Sealed style: an answer that arrives exactly at its deadline counts. A later answer is late, whether or
        not the deadline has been handled yet.
        """
        if self._is_live and isinstance(entry, _ENTRANT_MESSAGES):
            while (due := self.referee.due) is not None and due <= entry.at:
                self._take(Tick(due, entry.now))
        self._take(entry)

    def resume(self, replay: Replay, records: Sequence[bytes], restore: RestoreViewers) -> None:
        """Continue another node's table. Its messages are not published again: viewers continue with a snapshot.

        `records` are the records that the replay reads; they are added to the journal. `restore` gets the orders whose
        content snapshots repeat, and the number of inputs, which is at least the number of messages to any viewer.
        """
        self.referee = replay.referee
        for record in records:
            self._journal.append(record)
        lasting: list[Order] = []
        for moment in replay.moments():
            entry, orders = moment.entry, moment.orders
            if orders and self.recorder is not None:
                self.recorder.record_orders(entry.at, entry.now, orders)
            lasting += [order for order in orders if isinstance(order, AnnounceFact)]
            if isinstance(entry, Begin):
                lasting += self._receipt_orders()
        restore(lasting, StreamSequence(len(records)))

    def _take(self, entry: Input) -> None:
        """Journal an input, apply it, make every draw that the referee orders, then publish all orders."""
        self._journal.append(write_record(self.number, entry))
        orders = all_orders = self.referee.apply(entry)
        if type(entry) is Begin:
            all_orders[1:1] = self._receipt_orders()
        while orders and type(orders[-1]) is DrawChance:
            draw = orders[-1]
            drawn = Drawn(entry.at, entry.now, tuple(self._chance.draw(draw.game, draw.chance)))
            self._journal.append(write_record(self.number, drawn))
            orders = self.referee.apply(drawn)
            all_orders += orders
        if all_orders:
            if self.recorder is not None:
                self.recorder.record_orders(entry.at, entry.now, all_orders, self._observe)
            if self.referee.ended is not None:
                self._add_revealed_deal(all_orders)
            self._audience.publish(all_orders)

    def _receipt_orders(self) -> list[Order]:
        """Return the orders that send every entrant its receipt before the first card."""
        prepared = None if self.deal is None else self.deal.prepared
        receipts = () if prepared is None else prepared.receipts
        return [GiveReceipt(EntrantIndex(entrant), own) for entrant, own in enumerate(receipts)]

    def _add_revealed_deal(self, orders: list[Order]) -> None:
        """Insert the revealed deal right before the end of the match.

        A shared deal is not revealed here, because another table may still play it. The deal's creator reveals it.
        """
        if self.deal is None or self.deal.secret.is_shared:
            return
        for index, order in enumerate(orders):
            if isinstance(order, AnnounceFact) and isinstance(order.fact, MatchEnded):
                orders.insert(index, AnnounceFact(self.deal.reveal()))
                return
