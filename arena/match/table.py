"""A running match: takes inputs in the order of the node, journals each before anybody is told, hands on the orders.

Synchronous. The audience may encode at once, but nothing reaches a bot before the journal's group is kept; that gate is
the audience's and the journal's business.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from arena.match.archive import Chronicle, See
from arena.match.deal import MatchDeal
from arena.match.deal_values import describe_contributions
from arena.match.facts import MatchEnded
from arena.match.inputs import Input, Kind, write, write_answer, write_drawn
from arena.match.orders import Announce, Draw, GiveReceipt, Order
from arena.match.ports import ChanceSource, Journal, MatchId
from arena.match.referee import Referee
from arena.match.replay import Replay
from arena.match.terms import Terms, describe_terms
from arena.rules.game import Style


class Audience(Protocol):
    """Whoever is told what happens at a table."""

    def publish(self, orders: Sequence[Order]) -> None:
        """Pass on what one input has led to, each viewer's part to it alone."""


class Table:
    """Where a running match sits."""

    def __init__(
        self,
        number: int,
        match_id: MatchId,
        terms: Terms,
        journal: Journal,
        chance: ChanceSource,
        audience: Audience,
        keeps_records: bool = True,
        see: See | None = None,
    ) -> None:
        """`keeps_records`: write down what is to be kept of the match. `see` is asked about whoever has a fault."""
        self.number = number
        self.match_id = match_id
        self.terms = terms
        self.referee = Referee(terms)
        self.chronicle = Chronicle(match_id, terms) if keeps_records else None
        """None: nothing of the match will be kept but its journal."""
        self.deal: MatchDeal | None = None
        """Is told with the end of the match; None: somebody else answers for the cards."""
        self._is_live = terms.pace.style is Style.LIVE
        self._write_action = terms.game.write_action
        self._journal = journal
        self._chance = chance
        self._audience = audience
        self._see = see

    @property
    def due(self) -> int | None:
        """When something happens by itself next."""
        return self.referee.due

    def begin(self, at: int, now: int, absent: Sequence[int] = ()) -> None:
        """Start the match."""
        prepared = None if self.deal is None else self.deal.prepared
        contributions = () if prepared is None else prepared.contributions
        begin = {"match_id": self.match_id, "terms": describe_terms(self.terms), "absent": list(absent)}
        if contributions:
            begin["contributions"] = describe_contributions(contributions)
        self._record(write(Input(Kind.BEGIN, self.number, at, now, begin=begin)))
        started, *orders = self.referee.begin(at, now, absent, contributions)
        self._follow(at, now, [started, *self._receipts(), *orders])

    def take_up(self, replay: Replay, records: Sequence[bytes]) -> None:
        """Stand where another node's table stood. What was told there is gone through again, so that it can be resumed.

        `records` are those that the replay reads; they go to the journal.
        """
        self.referee = replay.referee
        for record in records:
            self._record(record)
        for moment in replay.moments():
            orders = list(moment.orders)
            if moment.entry.kind is Kind.BEGIN:
                orders[1:1] = self._receipts()
            if orders:
                self._write_down(moment.entry.at, moment.entry.now, orders, None)
                self._audience.publish(orders)

    def answer(
        self, at: int, now: int, entrant: int, prompt_id: int, action_id: int, action: Any, note: str = ""
    ) -> None:
        """A decision has arrived."""
        if self._is_live:
            self._catch_up(at, now)
        text = self._write_action(action)
        self._record(write_answer(self.number, at, now, entrant, prompt_id, action_id, text, note))
        self._follow(at, now, self.referee.answer(at, now, entrant, prompt_id, action_id, action))

    def reject(self, at: int, now: int, entrant: int, prompt_id: int, action_id: int, reason: str) -> None:
        """A decision has arrived that cannot be read."""
        self._note(Kind.REJECT, at, now, entrant, prompt_id=prompt_id, action_id=action_id, text=reason)
        self._follow(at, now, self.referee.reject(at, entrant, prompt_id, action_id, reason))

    def tick(self, at: int, now: int) -> None:
        """Something is due."""
        self._note(Kind.TICK, at, now)
        self._follow(at, now, self.referee.tick(at, now))

    def ready(self, at: int, now: int, entrant: int) -> None:
        """An entrant is ready for the next game."""
        self._note(Kind.READY, at, now, entrant)
        self._follow(at, now, self.referee.ready(at, now, entrant))

    def leave(self, at: int, now: int, entrant: int) -> None:
        """An entrant gives up."""
        self._catch_up(at, now)
        self._note(Kind.LEAVE, at, now, entrant)
        self._follow(at, now, self.referee.leave(at, now, entrant))

    def lost(self, at: int, now: int, entrant: int) -> None:
        """An entrant's connection is lost."""
        self._catch_up(at, now)
        self._note(Kind.LOST, at, now, entrant)
        self._follow(at, now, self.referee.lost(at, entrant))

    def back(self, at: int, now: int, entrant: int) -> None:
        """An entrant's connection is back."""
        self._catch_up(at, now)
        self._note(Kind.BACK, at, now, entrant)
        self._follow(at, now, self.referee.back(at, entrant))

    def credit(self, at: int, now: int, us: int) -> None:
        """The server stood still for so long."""
        self._record(write(Input(Kind.CREDIT, self.number, at, now, values=(us,))))
        self.referee.credit(us, at)

    def cancel(self, at: int, now: int, termination: str) -> None:
        """The match ends now."""
        self._note(Kind.CANCEL, at, now, text=termination)
        self._follow(at, now, self.referee.cancel(at, termination))

    def _receipts(self) -> list[Order]:
        """What every entrant is given before its first card."""
        prepared = None if self.deal is None else self.deal.prepared
        return [] if prepared is None else [GiveReceipt(each, own) for each, own in enumerate(prepared.receipts)]

    def _catch_up(self, at: int, now: int) -> None:
        """Live: what is due comes before a message of the same instant (spec A11), however late it is acted on.

        Sealed: an answer that arrives at its deadline counts, and a later one is late in any case.
        """
        while self._is_live and (due := self.referee.due) is not None and due <= at:
            self.tick(due, now)

    def _follow(self, at: int, now: int, orders: list[Order]) -> None:
        """Draw what is wanted until nothing is, then tell the audience."""
        told = orders
        while orders and type(orders[-1]) is Draw:
            draw = orders[-1]
            values = tuple(self._chance.draw(draw.game, draw.chance))
            self._record(write_drawn(self.number, at, now, values))
            orders = self.referee.drawn(at, now, values)
            told += orders
        if told:
            self._write_down(at, now, told, self._see)
            if self.referee.ended is not None:
                self._open_deal(told)
            self._audience.publish(told)

    def _write_down(self, at: int, now: int, told: Sequence[Order], see: See | None) -> None:
        if self.chronicle is not None:
            self.chronicle.take(at, now, told, see)

    def _open_deal(self, told: list[Order]) -> None:
        """Tell the deal right before the end of the match: the one place where its secrets leave.

        A shared deal is told nobody while another table may play it; whoever made it opens it.
        """
        if self.deal is None or self.deal.secret.is_shared:
            return
        for index, order in enumerate(told):
            if isinstance(order, Announce) and isinstance(order.fact, MatchEnded):
                told.insert(index, Announce(self.deal.reveal()))
                return

    def _note(self, kind: Kind, at: int, now: int, entrant: int = 0, **rest: Any) -> None:
        self._record(write(Input(kind, self.number, at, now, entrant, **rest)))

    def _record(self, record: bytes) -> None:
        self._journal.append(record)
