"""Sends the bot the messages of a rerun: the recorded ones, without times, and the results of its own decisions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arena.author.rerun.answer_judge import AnswerJudge
from arena.games.catalogue import pack_of
from arena.match.feed.codec import ViewerSnapshot
from arena.match.feed.gate import Gate
from arena.match.feed.match_feed import MAX_SNAPSHOT_ANSWERS, MatchFeed
from arena.match.referee.facts import DealRevealed, IntermissionStarted, MatchEnded, MatchStarted, StrikeKind
from arena.match.referee.orders import (
    AnnounceFact,
    Ask,
    DecisionResult,
    GiveReceipt,
    Order,
    PromptView,
    TellStrike,
    Withdraw,
)
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Terms
from arena.server.wire.proto_codec import ProtoCodec


def without_deadlines(terms: Terms) -> Terms:
    """Return the terms as the bot sees them: without deadlines."""
    return replace(terms, pace=replace(terms.pace, no_deadlines=True))


def _without_times(view: PromptView) -> PromptView:
    return replace(view, deadline=None, earliest=None, lands=None)


class RerunFeed:
    """Sends one entrant the messages of the recorded match through a feed."""

    def __init__(
        self,
        number: int,
        terms: Terms,
        seeds: Sequence[bytes],
        gate: Gate,
        entrant: EntrantIndex,
        judge: AnswerJudge,
        revealed: DealRevealed | None,
    ) -> None:
        """`revealed` is the revealed deal of the match; None if there is none."""
        codec = ProtoCodec(pack_of(terms.game.name).load_codec())
        self.feed = MatchFeed(number, terms, seeds, codec, gate, self._adjust_snapshot)
        self._entrant = entrant
        self._judge = judge
        self._revealed = revealed

    def publish_recorded(self, orders: Sequence[Order]) -> None:
        """Publish recorded orders, except those that depend on the bot's own answers."""
        selected = [each for order in orders for each in self._select_orders(order)]
        selected += [Withdraw(self._entrant, prompt_id) for prompt_id in self._judge.take_closed_prompts()]
        if selected:
            self.feed.publish(selected)

    def _select_orders(self, order: Order) -> Iterator[Order]:
        """Yield the orders that the bot gets in place of a recorded one. There may be none."""
        revealed = self._revealed
        match order:
            case Ask(entrant, view) if entrant == self._entrant:
                if self._judge.note_prompt(view.id):
                    yield Ask(entrant, _without_times(view))
            case DecisionResult(entrant) | Withdraw(entrant) if entrant == self._entrant:
                return
            case TellStrike(struck) if struck.entrant == self._entrant and struck.kind is not StrikeKind.GONE:
                return
            case AnnounceFact(IntermissionStarted()):
                yield AnnounceFact(IntermissionStarted(until=Instant(0)))
            case AnnounceFact(MatchStarted()) if revealed is not None and revealed.receipts:
                yield order
                yield GiveReceipt(self._entrant, revealed.receipts[self._entrant])
            case AnnounceFact(MatchEnded()) if revealed is not None:
                yield AnnounceFact(revealed)
                yield order
            case _:
                yield order

    def _adjust_snapshot(self, viewer: EntrantIndex, snapshot: ViewerSnapshot) -> ViewerSnapshot:
        """Return the snapshot with the bot's answers in place of the recorded ones."""
        if viewer != self._entrant:
            return snapshot
        responses = self._judge.responses
        prompts = [
            (_without_times(view), responses[view.id].action is not None)
            for view, _ in snapshot.prompts
            if view.id in responses
        ]
        answers = [answer for _, answer in self._judge.answers.values()][-MAX_SNAPSHOT_ANSWERS:]
        return replace(snapshot, prompts=prompts, answers=answers)
