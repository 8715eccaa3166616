"""The audience of a practice match: gives each seat the facts that it may know, and its questions."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from arena.author.practice.seat import (
    AskedQuestion,
    Change,
    ClosedQuestion,
    Decision,
    MatchFacts,
    PracticeSeat,
    Refused,
)
from arena.games.sdk_values import SdkValues
from arena.match.game import Game
from arena.match.referee.facts import GameStarted
from arena.match.referee.orders import (
    AnnounceFact,
    Ask,
    DecisionResult,
    DecisionStatus,
    Order,
    PromptView,
    TellEvent,
    TellStrike,
    Withdraw,
)
from arena.match.referee.scalars import EntrantIndex
from cheatarena.game_state import FactHandler, GameState


class PracticeSeats:
    """All seats of a practice match. What is published waits in their inboxes until `deliver`."""

    def __init__(self, game: Game, values: SdkValues, handlers: Mapping[type, FactHandler]) -> None:
        """`handlers` has the handler of each fact of the game, by the fact's type."""
        self.seats: Sequence[PracticeSeat] = ()
        """By entrant. Set it before the first order comes."""
        self.judged: Decision | None = None
        """The decision that is being judged. Set it before the decision is judged."""
        self.refused: DecisionResult | None = None
        """The last refused answer; None if none was refused."""
        self._redact = game.redact
        self._facts = values.facts
        self._legal_options = values.legal_options
        self._handlers = handlers
        self._entrants: tuple[EntrantIndex, ...] = ()
        """The entrant of each seat in the running game."""

    def deliver(self) -> None:
        """Let each seat handle what was published for it."""
        arrival_s = time.monotonic()
        for seat in self.seats:
            if seat.inbox:
                seat.handle_inbox(arrival_s)

    def publish(self, orders: Sequence[Order]) -> None:
        """Put the orders of one input into the inboxes of the seats that may know them: facts first, questions last."""
        if len(orders) == 1 and _is_acceptance(orders[0]):
            return
        facts = _NewFacts()
        rest: list[Order] = []
        for order in orders:
            if isinstance(order, TellEvent):
                self._add_event(facts, order.event)
            elif isinstance(order, AnnounceFact):
                if isinstance(order.fact, GameStarted):
                    self._entrants = order.fact.entrants
                facts.has_match_facts = True
                facts.add_public((None, order.fact))
            elif isinstance(order, TellStrike):
                facts.has_match_facts = True
                facts.add_private(order.struck.entrant, ((None, order.struck),))
            else:
                rest.append(order)
        facts.put_into_inboxes(self.seats)
        self._put_rest(rest)

    def _add_event(self, facts: "_NewFacts", event: Any) -> None:
        public, private = self._redact(event)
        if public is not None:
            facts.add_public(self._read_part(public))
        for seat, parts in private.items():
            facts.add_private(self._entrants[seat], [self._read_part(part) for part in parts])

    def _read_part(self, part: Any) -> Change:
        fact = self._facts[type(part)](part)
        return self._handlers.get(type(fact), GameState.ignore), fact

    def _put_rest(self, orders: Sequence[Order]) -> None:
        """Put closed questions, refusals and new questions into the inboxes, in this order."""
        closed = [order for order in orders if isinstance(order, Withdraw)]
        for withdrawal in closed:
            self.seats[withdrawal.entrant].inbox.append(ClosedQuestion(withdrawal.prompt_id))
        view: PromptView | None = None
        for order in orders:
            if isinstance(order, Ask):
                if closed and Withdraw(order.entrant, order.prompt.id) in closed:
                    continue  # asked and closed at once, as when all others leave
                if order.prompt is not view:
                    view, question = order.prompt, self._read_prompt(order.prompt)
                self.seats[order.entrant].inbox.append(question)
            elif isinstance(order, DecisionResult) and order.status is DecisionStatus.REFUSED:
                self.refused = order
                if self.judged is not None:
                    self.seats[order.entrant].inbox.append(Refused(self.judged, order))

    def _read_prompt(self, prompt: PromptView) -> AskedQuestion:
        kind, read = self._legal_options[type(prompt.options)]
        return AskedQuestion(prompt.id, kind, read(prompt.options))


def _is_acceptance(order: Order) -> bool:
    """Return whether an order says that an answer was accepted. The seat need not be told."""
    return isinstance(order, DecisionResult) and order.status is DecisionStatus.ACCEPTED


class _NewFacts:
    """Collects the facts of one input, for each entrant those that it may know, in order."""

    __slots__ = ("common", "has_match_facts", "own")

    def __init__(self) -> None:
        self.common: list[Change] = []
        """Public facts."""
        self.own: dict[EntrantIndex, list[Change]] = {}
        """By entrant that gets private facts: all its facts, public and private."""
        self.has_match_facts = False
        """Whether some facts are about the match and not about its game."""

    def add_public(self, change: Change) -> None:
        self.common.append(change)
        for changes in self.own.values():
            changes.append(change)

    def add_private(self, entrant: EntrantIndex, changes: Sequence[Change]) -> None:
        own = self.own.get(entrant)
        if own is None:
            self.own[entrant] = [*self.common, *changes]
        else:
            own += changes

    def put_into_inboxes(self, seats: Sequence[PracticeSeat]) -> None:
        if not (self.common or self.own):
            return
        for seat in seats:
            changes = self.own.get(seat.entrant, self.common)
            if changes:
                seat.inbox.append(MatchFacts(changes) if self.has_match_facts else changes)
