"""Encoding and decoding of CHEATER's answers as the action of a Decision."""

from collections.abc import Callable, Mapping
from typing import Any

from cheatarena.cheater.answers import (
    Allow,
    Answer,
    Attack,
    Bust,
    Demand,
    Discard,
    Draw,
    DrawTwo,
    Hide,
    Play,
    Take,
    TakeTop,
)
from cheatarena.cheater.cards import CARDS
from cheatarena.encoding import encode_varint, field_tag
from cheatarena.v1 import cheater_pb2, decision_pb2
from cheatarena.v1.cheater_pb2 import CheaterAction

ACTION_TAG = field_tag(decision_pb2.Decision, "cheater")


def _play_action(play: Play) -> CheaterAction:
    wild_as = cheater_pb2.CHEATER_ATTACK_UNSPECIFIED if play.wild_as is None else ATTACKS[play.wild_as]
    kind = cheater_pb2.CHEATER_ACTION_KIND_PLAY
    return CheaterAction(kind=kind, card=play.card, target=play.target, wild_as=wild_as)


def _take_action(take: Take) -> CheaterAction:
    return CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_TAKE, card=take.card, discard=take.discard)


ATTACKS = {attack: cheater_pb2.CheaterAttack.Value(f"CHEATER_ATTACK_{attack.name}") for attack in Attack}

ACTION_BUILDERS: Mapping[type, Callable[[Any], CheaterAction]] = {
    Draw: lambda _: CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DRAW),
    DrawTwo: lambda _: CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DRAW_TWO),
    TakeTop: lambda _: CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_TAKE_TOP),
    Demand: lambda each: CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DEMAND, target=each.target),
    Play: _play_action,
    Discard: lambda each: CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DISCARD, cards=bytes(each.cards)),
    Allow: lambda _: CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_ALLOW),
    Hide: lambda each: CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_HIDE, card=each.card),
    Take: _take_action,
    Bust: lambda each: CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_BUST, cards=bytes(each.cards)),
}


def write_action(answer: Answer) -> bytes:
    """Return the field of a Decision that holds the action."""
    body = ACTION_BUILDERS[type(answer)](answer).SerializeToString()
    return ACTION_TAG + encode_varint(len(body)) + body


def read_answer(decision: decision_pb2.Decision) -> Answer:
    """Return the answer in a decision."""
    action = decision.cheater
    reader = ANSWER_READERS[cheater_pb2.CheaterActionKind.Name(action.kind).removeprefix("CHEATER_ACTION_KIND_")]
    answer: Answer = reader(action, decision.note)
    return answer


def _read_play(action: CheaterAction, note: str) -> Play:
    return Play(CARDS[action.card], action.target, Attack(action.wild_as) if action.wild_as else None, note)


def _read_take(action: CheaterAction, note: str) -> Take:
    return Take(CARDS[action.card], CARDS[action.discard] if action.HasField("discard") else None, note)


ANSWER_READERS: Mapping[str, Callable[[CheaterAction, str], Any]] = {
    "DRAW": lambda _, note: Draw(note),
    "DRAW_TWO": lambda _, note: DrawTwo(note),
    "TAKE_TOP": lambda _, note: TakeTop(note),
    "DEMAND": lambda action, note: Demand(action.target, note),
    "PLAY": _read_play,
    "DISCARD": lambda action, note: Discard.of(action.cards, note),
    "ALLOW": lambda _, note: Allow(note),
    "HIDE": lambda action, note: Hide(CARDS[action.card], note),
    "TAKE": _read_take,
    "BUST": lambda action, note: Bust.of(action.cards, note),
}
"""Readers by the name of the action's kind."""
