"""Encodes the answers of Cheat bots as actions of Decisions, and decodes such actions."""

from cheatarena.cheat.cards import RANKS
from cheatarena.cheat.decisions import Answer, Believe, Call, Choose, Cut, Decline, Pass, Play
from cheatarena.encoding import encode_varint, field_tag
from cheatarena.v1 import cheat_pb2, decision_pb2

ACTION_TAG = field_tag(decision_pb2.Decision, "cheat")


def _encode(action: cheat_pb2.CheatAction) -> bytes:
    body = action.SerializeToString()
    return ACTION_TAG + encode_varint(len(body)) + body


def _encode_kind(kind: cheat_pb2.CheatActionKind.ValueType) -> bytes:
    """Encode an action whose only field is its kind."""
    return _encode(cheat_pb2.CheatAction(kind=kind))


PLAIN_ACTIONS: dict[type, bytes] = {
    Pass: _encode_kind(cheat_pb2.CHEAT_ACTION_KIND_PASS),
    Call: _encode_kind(cheat_pb2.CHEAT_ACTION_KIND_CALL),
    Decline: _encode_kind(cheat_pb2.CHEAT_ACTION_KIND_DECLINE),
    Believe: _encode_kind(cheat_pb2.CHEAT_ACTION_KIND_BELIEVE),
}


PLAY_HEAD = b"\x08\x01\x12"
"""Field 1 of a CheatAction that is a play, followed by the tag of field 2, the cards."""
RANK_FIELDS: dict[int, bytes] = {rank: b"\x18%c" % rank if rank else b"" for rank in RANKS}
"""Field 3 of CheatAction by rank; omitted for the ace, whose number is 0."""
COUNT_TAG = b"\x20"
"""Tag of field 4 of CheatAction."""


def write_action(answer: Answer) -> bytes:
    """Encode an answer as the action field of a Decision."""
    plain = PLAIN_ACTIONS.get(type(answer))
    if plain is not None:
        return plain
    if isinstance(answer, Play):
        return _write_play(answer)
    if isinstance(answer, Cut):
        return _encode(cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_CUT, sizes=answer.sizes))
    assert isinstance(answer, Choose)
    return _encode(cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_CHOOSE, packet=answer.packet))


def _write_play(play: Play) -> bytes:
    """Encode a play: directly if it has cards, a count and a known rank, otherwise with the generated code."""
    cards, rank = bytes(play.cards), RANK_FIELDS.get(play.rank)
    count = len(cards) if play.count is None else play.count
    if rank is None or not cards or not count:
        kind = cheat_pb2.CHEAT_ACTION_KIND_PLAY
        return _encode(cheat_pb2.CheatAction(kind=kind, cards=cards, rank=play.rank, count=count))
    body = b"".join((PLAY_HEAD, encode_varint(len(cards)), cards, rank, COUNT_TAG, encode_varint(count)))
    return ACTION_TAG + encode_varint(len(body)) + body


def read_answer(decision: decision_pb2.Decision) -> Answer:
    action, note = decision.cheat, decision.note
    match action.kind:
        case cheat_pb2.CHEAT_ACTION_KIND_PLAY:
            count = None if action.count == len(action.cards) else action.count
            return Play.of(action.cards, action.rank, note, count=count)
        case cheat_pb2.CHEAT_ACTION_KIND_PASS:
            return Pass(note)
        case cheat_pb2.CHEAT_ACTION_KIND_CALL:
            return Call(note)
        case cheat_pb2.CHEAT_ACTION_KIND_BELIEVE:
            return Believe(note)
        case cheat_pb2.CHEAT_ACTION_KIND_CUT:
            return Cut(tuple(action.sizes), note)
        case cheat_pb2.CHEAT_ACTION_KIND_CHOOSE:
            return Choose(action.packet, note)
        case _:
            return Decline(note)
