"""The arrays of one seat of CHEATER, made from what a bot at the other end of a connection sees.

Facts become events, and the table becomes a state, without what the seat does not see: the cards of the draw pile, and
those of other hands that not all seats know.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from arena.games.cheater.arrays.seat_arrays import CheaterSeatArrays
from arena.games.cheater.rules import actions, events, questions
from arena.games.cheater.rules.cards import NO_CARD
from arena.games.cheater.rules.ruleset import Ruleset
from arena.games.cheater.rules.state import PendingAttack, Phase, State
from arena.match.game import Question, Seat
from cheatarena.cheater import answers, facts, legal
from cheatarena.cheater.attacking import Attacking
from cheatarena.cheater.bot import CheaterBot
from cheatarena.cheater.cards import CARDS, Card
from cheatarena.cheater.ruleset import Ruleset as BotRuleset
from cheatarena.cheater.table import Table
from cheatarena.facts import Fact
from cheatarena.player import Player


class CheaterSeenArrays:
    """Implements `arena.games.arrays.SeenArrays` for one game of CHEATER."""

    bot_class: ClassVar[type[Player]] = CheaterBot

    def __init__(self, table: Table, encoding: str) -> None:  # noqa: ARG002  there is one encoding
        self._seat = Seat(table.seat)
        self._rules = self.read_ruleset(table.ruleset)
        self._turns = -1
        """Ended turns so far, by the facts; -1 before the first turn."""
        self.arrays = CheaterSeatArrays(self._rules, table.seat_count)

    @staticmethod
    def read_ruleset(seen: BotRuleset) -> Ruleset:
        return Ruleset(seen.players_min, seen.players_max, seen.titles, seen.max_turns)

    def saw(self, fact: Fact) -> None:
        self._turns += isinstance(fact, facts.CheaterRolled)
        if type(fact) in _EVENTS:
            self.arrays.follow([_EVENTS[type(fact)](fact)])

    def ask(self, table: Any) -> State:
        if self._turns != table.turn:  # a snapshot came instead of facts
            self.arrays.begin()
            self._turns = table.turn
        question = table.question
        state = _read_table(table, self._rules, Phase(question.kind.method))
        self.arrays.ask(state, Question(self._seat, _OPTIONS[type(question.legal)](question.legal)))
        return state

    def answer(self, action: actions.Action) -> answers.Answer:
        answer: answers.Answer = _ANSWERS[type(action)](action)
        return answer


def _read_table(table: Table, rules: Ruleset, phase: Phase) -> State:
    seats, attacking = range(table.seat_count), table.attacking
    return State(
        rules,
        (None, None),
        tuple([bytes(table.hand) if seat == table.seat else b"" for seat in seats]),
        tuple([bytes(table.known_cards(seat)) for seat in seats]),
        table.places,
        phase=phase,
        draw_pile=bytes((NO_CARD,)) * table.draw_count,
        discards=bytes(table.discards),
        turn=Seat(table.to_move or 0),
        cheater=None if table.cheater is None else Seat(table.cheater),
        dice=table.dice,
        attacking=None if attacking is None else _read_attacking(attacking),
        die=table.die,
        turns=table.turn,
    )


def _read_attacking(attacking: Attacking) -> PendingAttack:
    return PendingAttack(_read_attack(attacking.attack), Seat(attacking.target), attacking.card)


def _read_attack(attack: answers.Attack) -> actions.Attack:
    return actions.Attack[attack.name]


def _write_attack(attack: actions.Attack | None) -> answers.Attack | None:
    return None if attack is None else answers.Attack[attack.name]


_EVENTS: Final[Mapping[type, Callable[[Any], events.Event]]] = {
    facts.CheaterRolled: lambda fact: events.Rolled(fact.seat, fact.dice, fact.cheater, fact.is_lost),
    facts.CheaterTookTop: lambda fact: events.TookTop(fact.seat, fact.card),
    facts.CheaterDiscarded: lambda fact: events.Discarded(fact.seat, bytes(fact.cards)),
    facts.CheaterAttacked: lambda fact: events.Attacked(fact.seat, fact.target, _read_attack(fact.attack), fact.card),
    facts.CheaterHidden: lambda fact: events.Hidden(fact.seat, fact.card),
    facts.CheaterTaken: lambda fact: events.Taken(fact.seat, fact.target, fact.card),
    facts.CheaterBusted: lambda fact: events.Busted(fact.seat, fact.target, bytes(fact.cards)),
}
"""The events of facts. Arrays need no other facts: the table says what came of them."""

_OPTIONS: Final[Mapping[type, Callable[[Any], questions.Options]]] = {
    legal.LegalAct: lambda act: questions.ActOptions(act.powers, bytes(act.playable), act.targets),
    legal.LegalDiscard: lambda discard: questions.DiscardOptions(discard.count),
    legal.LegalReaction: lambda reaction: questions.ReactionOptions(
        Seat(reaction.attacker), _read_attack(reaction.attack), bytes(reaction.hiding)
    ),
    legal.LegalPick: lambda pick: questions.PickOptions(
        _read_attack(pick.attack), Seat(pick.target), bytes(pick.shown), pick.most
    ),
}


def _cards(codes: bytes) -> tuple[Card, ...]:
    return tuple([CARDS[code] for code in codes])


def _write_take(action: actions.Take) -> answers.Take:
    return answers.Take(CARDS[action.card], None if action.discard is None else CARDS[action.discard])


_ANSWERS: Final[Mapping[type, Callable[[Any], answers.Answer]]] = {
    actions.Draw: lambda _: answers.Draw(),
    actions.DrawTwo: lambda _: answers.DrawTwo(),
    actions.TakeTop: lambda _: answers.TakeTop(),
    actions.Demand: lambda action: answers.Demand(action.target),
    actions.Play: lambda action: answers.Play(CARDS[action.card], action.target, _write_attack(action.wild_as)),
    actions.Discard: lambda action: answers.Discard(_cards(action.cards)),
    actions.Allow: lambda _: answers.Allow(),
    actions.Hide: lambda action: answers.Hide(CARDS[action.card]),
    actions.Take: _write_take,
    actions.Bust: lambda action: answers.Bust(_cards(action.cards)),
}
