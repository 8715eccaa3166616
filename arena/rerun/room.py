"""What the bot receives: the messages of the match, without times, and with what became of its own decisions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arena.feed.codec import Snapshot
from arena.feed.gate import Gate
from arena.feed.match_feed import LAST_ANSWERS
from arena.match.facts import DealRevealed, FaultKind, IntermissionStarted, MatchEnded, MatchStarted
from arena.match.orders import Announce, Answer, Ask, GiveReceipt, Order, PromptView, Strike, Withdraw
from arena.match.referee import Referee
from arena.match.terms import Terms
from arena.rerun.judge import Judge
from arena.rpc.codec import ProtoCodec
from arena.rpc.games import wire_of
from arena.rpc.node import ProtoRoom


def untimed(terms: Terms) -> Terms:
    """The same terms as the bot is told them: nothing is ever late."""
    return replace(terms, pace=replace(terms.pace, no_deadlines=True))


def _untimed_prompt(view: PromptView) -> PromptView:
    return replace(view, deadline=None, earliest=None, lands=None)


class RerunRoom(ProtoRoom):
    """The audience of a match in which one entrant is there."""

    def __init__(
        self,
        number: int,
        terms: Terms,
        seeds: Sequence[bytes],
        gate: Gate,
        entrant: int,
        judge: Judge,
        revealed: DealRevealed | None,
    ) -> None:
        """`revealed`: the match's deal, None where it has none or did not end."""
        super().__init__(number, terms, seeds, ProtoCodec(wire_of(terms.game.name)), gate)
        self._entrant = entrant
        self._judge = judge
        self._revealed = revealed

    def tell(self, orders: Sequence[Order]) -> None:
        """Pass on what the records have led to, as far as it does not depend on what the bot has said."""
        told = [each for order in orders for each in self._told(order)]
        told += [Withdraw(self._entrant, prompt_id) for prompt_id in self._judge.close()]
        if told:
            self.publish(told)

    def _told(self, order: Order) -> Iterator[Order]:
        match order:
            case Ask(entrant, view) if entrant == self._entrant:
                if self._judge.show(view.id):
                    yield Ask(entrant, _untimed_prompt(view))
            case Answer(entrant) | Withdraw(entrant) if entrant == self._entrant:
                return
            case Strike(struck) if struck.entrant == self._entrant and struck.kind is not FaultKind.GONE:
                return
            case Announce(fact):
                yield from self._announced(order, fact)
            case _:
                yield order

    def _announced(self, order: Order, fact: object) -> Iterator[Order]:
        """A fact of the match, and what of the deal is told with it."""
        revealed = self._revealed
        if isinstance(fact, IntermissionStarted):
            yield Announce(IntermissionStarted(until=0))
            return
        if isinstance(fact, MatchEnded) and revealed is not None:
            yield Announce(revealed)
        yield order
        if isinstance(fact, MatchStarted) and revealed is not None and revealed.receipts:
            yield GiveReceipt(self._entrant, revealed.receipts[self._entrant])

    def _snapshot(self, referee: Referee, viewer: int) -> Snapshot:
        """A snapshot for a bot that comes back: it has answered what it has answered here."""
        snapshot = super()._snapshot(referee, viewer)
        if viewer != self._entrant:
            return snapshot
        given = self._judge.given
        prompts = [(_untimed_prompt(v), given[v.id].action is not None) for v, _ in snapshot.prompts if v.id in given]
        answers = [answer for _, answer in self._judge.answers.values()][-LAST_ANSWERS:]
        return replace(snapshot, prompts=prompts, answers=answers)
