"""A running match: takes inputs in the order of the node, journals each before anybody is told, hands on the orders.

Synchronous. The audience may encode at once, but nothing reaches a bot before the journal's group is kept; that gate is
the audience's and the journal's business.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from arena.match.deal import MatchDeal
from arena.match.deal_serialization import describe_contributions
from arena.match.facts import MatchEnded
from arena.match.inputs import Input, InputKind, write_answer, write_draw, write_record
from arena.match.match_record import MatchRecorder, ObserveEntrant
from arena.match.orders import AnnounceFact, DrawChance, GiveReceipt, Order
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
        see: ObserveEntrant | None = None,
    ) -> None:
        """`keeps_records`: write down what is to be kept of the match. `see` is asked about whoever has a fault."""
        self.number = number
        self.match_id = match_id
        self.terms = terms
        self.referee = Referee(terms)
        self.recorder = MatchRecorder(match_id, terms) if keeps_records else None
        """None: nothing of the match will be kept but its journal."""
        self.deal: MatchDeal | None = None
        """Is told with the end of the match; None: somebody else answers for the cards."""
        self._is_live = terms.pace.style is Style.LIVE
        self._write_action = terms.game.write_action
        self._journal = journal
        self._chance = chance
        self._audience = audience
        self._observe = see

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
        self._journal_record(write_record(Input(InputKind.BEGIN, self.number, at, now, begin=begin)))
        started, *orders = self.referee.begin(at, now, absent, contributions)
        self._draw_and_publish(at, now, [started, *self._receipt_orders(), *orders])

    def resume(self, replay: Replay, records: Sequence[bytes]) -> None:
        """Stand where another node's table stood. What was told there is gone through again, so that it can be resumed.

        `records` are those that the replay reads; they go to the journal.
        """
        self.referee = replay.referee
        for record in records:
            self._journal_record(record)
        for moment in replay.moments():
            orders = list(moment.orders)
            if moment.entry.kind is InputKind.BEGIN:
                orders[1:1] = self._receipt_orders()
            if orders:
                self._record_orders(moment.entry.at, moment.entry.now, orders, None)
                self._audience.publish(orders)

    def answer(
        self, at: int, now: int, entrant: int, prompt_id: int, action_id: int, action: Any, note: str = ""
    ) -> None:
        """A decision has arrived."""
        if self._is_live:
            self._run_due(at, now)
        text = self._write_action(action)
        self._journal_record(write_answer(self.number, at, now, entrant, prompt_id, action_id, text, note))
        self._draw_and_publish(at, now, self.referee.answer(at, now, entrant, prompt_id, action_id, action))

    def reject(self, at: int, now: int, entrant: int, prompt_id: int, action_id: int, reason: str) -> None:
        """A decision has arrived that cannot be read."""
        self._journal_input(InputKind.REJECT, at, now, entrant, prompt_id=prompt_id, action_id=action_id, text=reason)
        self._draw_and_publish(at, now, self.referee.reject(at, entrant, prompt_id, action_id, reason))

    def tick(self, at: int, now: int) -> None:
        """Something is due."""
        self._journal_input(InputKind.TICK, at, now)
        self._draw_and_publish(at, now, self.referee.tick(at, now))

    def mark_ready(self, at: int, now: int, entrant: int) -> None:
        """An entrant is ready for the next game."""
        self._journal_input(InputKind.READY, at, now, entrant)
        self._draw_and_publish(at, now, self.referee.mark_ready(at, now, entrant))

    def leave(self, at: int, now: int, entrant: int) -> None:
        """An entrant gives up."""
        self._run_due(at, now)
        self._journal_input(InputKind.LEAVE, at, now, entrant)
        self._draw_and_publish(at, now, self.referee.leave(at, now, entrant))

    def disconnect(self, at: int, now: int, entrant: int) -> None:
        """An entrant's connection is lost."""
        self._run_due(at, now)
        self._journal_input(InputKind.LOST, at, now, entrant)
        self._draw_and_publish(at, now, self.referee.disconnect(at, entrant))

    def reconnect(self, at: int, now: int, entrant: int) -> None:
        """An entrant's connection is back."""
        self._run_due(at, now)
        self._journal_input(InputKind.BACK, at, now, entrant)
        self._draw_and_publish(at, now, self.referee.reconnect(at, entrant))

    def credit(self, at: int, now: int, us: int) -> None:
        """The server stood still for so long."""
        self._journal_record(write_record(Input(InputKind.CREDIT, self.number, at, now, values=(us,))))
        self.referee.credit(us, at)

    def cancel(self, at: int, now: int, termination: str) -> None:
        """The match ends now."""
        self._journal_input(InputKind.CANCEL, at, now, text=termination)
        self._draw_and_publish(at, now, self.referee.cancel(at, termination))

    def _receipt_orders(self) -> list[Order]:
        """What every entrant is given before its first card."""
        prepared = None if self.deal is None else self.deal.prepared
        return [] if prepared is None else [GiveReceipt(each, own) for each, own in enumerate(prepared.receipts)]

    def _run_due(self, at: int, now: int) -> None:
        """Live: what is due comes before a message of the same instant (spec A11), however late it is acted on.

        Sealed: an answer that arrives at its deadline counts, and a later one is late in any case.
        """
        while self._is_live and (due := self.referee.due) is not None and due <= at:
            self.tick(due, now)

    def _draw_and_publish(self, at: int, now: int, orders: list[Order]) -> None:
        """Draw what is wanted until nothing is, then tell the audience."""
        told = orders
        while orders and type(orders[-1]) is DrawChance:
            draw = orders[-1]
            values = tuple(self._chance.draw(draw.game, draw.chance))
            self._journal_record(write_draw(self.number, at, now, values))
            orders = self.referee.apply_draw(at, now, values)
            told += orders
        if told:
            self._record_orders(at, now, told, self._observe)
            if self.referee.ended is not None:
                self._add_revealed_deal(told)
            self._audience.publish(told)

    def _record_orders(self, at: int, now: int, told: Sequence[Order], see: ObserveEntrant | None) -> None:
        if self.recorder is not None:
            self.recorder.record_orders(at, now, told, see)

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

    def _journal_input(self, kind: InputKind, at: int, now: int, entrant: int = 0, **rest: Any) -> None:
        self._journal_record(write_record(Input(kind, self.number, at, now, entrant, **rest)))

    def _journal_record(self, record: bytes) -> None:
        self._journal.append(record)
