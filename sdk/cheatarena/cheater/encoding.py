"""Encodes the answers of CHEATER bots as actions of Decisions, and decodes such actions."""

from typing import assert_never

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


ATTACKS = {attack: cheater_pb2.CheaterAttack.Value(f"CHEATER_ATTACK_{attack.name}") for attack in Attack}


def write_action(answer: Answer) -> bytes:
    """Encode an answer as the action field of a Decision."""
    match answer:
        case Draw():
            action = CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DRAW)
        case DrawTwo():
            action = CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DRAW_TWO)
        case TakeTop():
            action = CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_TAKE_TOP)
        case Demand(target):
            action = CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DEMAND, target=target)
        case Play(card, target, wild_as):
            attack = cheater_pb2.CHEATER_ATTACK_UNSPECIFIED if wild_as is None else ATTACKS[wild_as]
            kind = cheater_pb2.CHEATER_ACTION_KIND_PLAY
            action = CheaterAction(kind=kind, card=card, target=target, wild_as=attack)
        case Discard(cards):
            action = CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_DISCARD, cards=bytes(cards))
        case Allow():
            action = CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_ALLOW)
        case Hide(card):
            action = CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_HIDE, card=card)
        case Take(card, discard):
            action = CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_TAKE, card=card, discard=discard)
        case Bust(cards):
            action = CheaterAction(kind=cheater_pb2.CHEATER_ACTION_KIND_BUST, cards=bytes(cards))
        case _:
            assert_never(answer)
    body = action.SerializeToString()
    return ACTION_TAG + encode_varint(len(body)) + body


def read_answer(decision: decision_pb2.Decision) -> Answer:
    """Return the answer in a decision. Raises KeyError if the kind of action is unknown."""
    action, note = decision.cheater, decision.note
    match action.kind:
        case cheater_pb2.CHEATER_ACTION_KIND_DRAW:
            return Draw(note)
        case cheater_pb2.CHEATER_ACTION_KIND_DRAW_TWO:
            return DrawTwo(note)
        case cheater_pb2.CHEATER_ACTION_KIND_TAKE_TOP:
            return TakeTop(note)
        case cheater_pb2.CHEATER_ACTION_KIND_DEMAND:
            return Demand(action.target, note)
        case cheater_pb2.CHEATER_ACTION_KIND_PLAY:
            return Play(CARDS[action.card], action.target, Attack(action.wild_as) if action.wild_as else None, note)
        case cheater_pb2.CHEATER_ACTION_KIND_DISCARD:
            return Discard.of(action.cards, note)
        case cheater_pb2.CHEATER_ACTION_KIND_ALLOW:
            return Allow(note)
        case cheater_pb2.CHEATER_ACTION_KIND_HIDE:
            return Hide(CARDS[action.card], note)
        case cheater_pb2.CHEATER_ACTION_KIND_TAKE:
            return Take(CARDS[action.card], CARDS[action.discard] if action.HasField("discard") else None, note)
        case cheater_pb2.CHEATER_ACTION_KIND_BUST:
            return Bust.of(action.cards, note)
        case kind:
            raise KeyError(kind)
