"""Converts CHEATER's values in the rules to its values in the SDK, and answers of bots to actions."""

from collections.abc import Callable, Mapping
from operator import index
from typing import Any, Final

from arena.games.cheater.rules import actions, events, questions, views
from arena.games.cheater.rules.cards import MAX_CARDS, NO_CARD
from arena.games.cheater.rules.game import CHEATER
from arena.games.sdk_values import SdkValues
from arena.match.game import Seat
from arena.match.referee.terms import Terms
from cheatarena.cheater import answers, facts, legal
from cheatarena.cheater.cards import CARDS, Card, Color, Hand
from cheatarena.cheater.ruleset import Ruleset
from cheatarena.facts import Fact

_NO_SEAT = Seat(999_999)
"""Stands for every target that is negative or larger."""
_ATTACKS = {attack: answers.Attack[attack.name] for attack in actions.Attack}
_ATTACK_ACTIONS = {number: attack for attack, number in _ATTACKS.items()}


def _cards(codes: bytes) -> tuple[Card, ...]:
    return tuple(map(CARDS.__getitem__, codes))


# ---- facts


def _start_rolled_fact(part: events.StartRolled) -> facts.CheaterStartRolled:
    rolls = tuple(facts.StartRoll(roll.seat, roll.dice) for roll in part.rolls)
    return facts.CheaterStartRolled(rolls, part.first)


def _attacked_fact(part: events.Attacked) -> facts.CheaterAttacked:
    card = None if part.card is None else CARDS[part.card]
    return facts.CheaterAttacked(part.seat, part.target, _ATTACKS[part.attack], card)


def _won_fact(part: events.Won) -> facts.CheaterWon:
    color = None if part.color is None else Color(part.color)
    return facts.CheaterWon(part.seat, color, tuple(title.name.lower() for title in part.titles))


_FACTS: Mapping[type, Callable[[Any], Fact]] = {
    views.DealtView: lambda part: facts.CheaterDealt(part.seat_count, CARDS[part.top], part.draw_count),
    views.DrewView: lambda part: facts.CheaterDrew(part.seat, part.count),
    views.SeatLeftView: lambda part: facts.CheaterLeft(part.seat, part.card_count, part.place, part.cheater),
    events.StartRolled: _start_rolled_fact,
    events.Rolled: lambda part: facts.CheaterRolled(part.seat, part.dice, part.cheater, part.is_lost),
    events.TookTop: lambda part: facts.CheaterTookTop(part.seat, CARDS[part.card]),
    events.Discarded: lambda part: facts.CheaterDiscarded(part.seat, _cards(part.cards)),
    events.Attacked: _attacked_fact,
    events.Hidden: lambda part: facts.CheaterHidden(part.seat, CARDS[part.card]),
    events.HandShown: lambda part: facts.CheaterHandShown(part.seat, _cards(part.cards)),
    events.DieRolled: lambda part: facts.CheaterDieRolled(part.value),
    events.Taken: lambda part: facts.CheaterTaken(part.seat, part.target, CARDS[part.card]),
    events.Busted: lambda part: facts.CheaterBusted(part.seat, part.target, _cards(part.cards)),
    events.Reshuffled: lambda part: facts.CheaterReshuffled(part.draw_count),
    events.Won: _won_fact,
    events.Stopped: lambda _: facts.CheaterStopped(),
    views.HandDealt: lambda part: facts.CheaterHand(_cards(part.cards)),
    views.CardsDrawn: lambda part: facts.CheaterDrawn(_cards(part.cards)),
}


# ---- legal options


def _legal_act(options: questions.ActOptions) -> legal.LegalAct:
    return legal.LegalAct(options.powers, _cards(options.playable), options.targets)


def _legal_reaction(options: questions.ReactionOptions) -> legal.LegalReaction:
    return legal.LegalReaction(options.attacker, _ATTACKS[options.attack], _cards(options.hiding))


def _legal_pick(options: questions.PickOptions) -> legal.LegalPick:
    return legal.LegalPick(_ATTACKS[options.attack], options.target, Hand(options.hand), options.most)


_LEGAL_OPTIONS: Mapping[type, tuple[str, Callable[[Any], Any]]] = {
    questions.ActOptions: ("cheater_act", _legal_act),
    questions.DiscardOptions: ("cheater_discard", lambda options: legal.LegalDiscard(options.count)),
    questions.ReactionOptions: ("cheater_reaction", _legal_reaction),
    questions.PickOptions: ("cheater_pick", _legal_pick),
}


def _ruleset(terms: Terms) -> Ruleset:
    rules = terms.ruleset
    return Ruleset(
        preset=terms.preset,
        version=CHEATER.version,
        players_min=rules.players_min,
        players_max=rules.players_max,
        titles=rules.titles,
        max_turns=rules.max_turns,
    )


# ---- answers: a bot may put anything into one, so nothing here is typed as the SDK says


def _play(answer: Any) -> actions.Play:
    wild_as = None if answer.wild_as is None else _ATTACK_ACTIONS[answer.wild_as]
    return actions.Play(_code(answer.card), _seat(answer.target), wild_as)


def _take(answer: Any) -> actions.Take:
    return actions.Take(_code(answer.card), None if answer.discard is None else _code(answer.discard))


def _code(card: Any) -> int:
    return int(card) if 0 <= index(card) < NO_CARD else NO_CARD


def _codes(cards: Any) -> bytes:
    return bytes([_code(card) for card in cards][:MAX_CARDS])


def _seat(target: Any) -> Seat:
    return Seat(index(target)) if 0 <= index(target) < _NO_SEAT else _NO_SEAT


_ACTIONS: Mapping[type, Callable[[Any], actions.Action]] = {
    answers.Draw: lambda _: actions.DRAW,
    answers.DrawTwo: lambda _: actions.DRAW_TWO,
    answers.TakeTop: lambda _: actions.TAKE_TOP,
    answers.Demand: lambda answer: actions.Demand(_seat(answer.target)),
    answers.Play: _play,
    answers.Discard: lambda answer: actions.Discard(_codes(answer.cards)),
    answers.Allow: lambda _: actions.ALLOW,
    answers.Hide: lambda answer: actions.Hide(_code(answer.card)),
    answers.Take: _take,
    answers.Bust: lambda answer: actions.Bust(_codes(answer.cards)),
}


CHEATER_VALUES: Final = SdkValues(
    game=CHEATER, facts=_FACTS, legal_options=_LEGAL_OPTIONS, ruleset=_ruleset, actions=_ACTIONS
)
