"""Answers of Cheat as the action of a Decision, and back."""

from cheatarena.cheat.decisions import Answer, Call, Decline, Pass, Play
from cheatarena.encoding import field_tag, varint
from cheatarena.v1 import cheat_pb2, decision_pb2

TAG = field_tag(decision_pb2.Decision, "cheat")


def _plain(kind: cheat_pb2.CheatActionKind.ValueType) -> bytes:
    """Encode an action that has no fields but its kind."""
    body = cheat_pb2.CheatAction(kind=kind).SerializeToString()
    return TAG + varint(len(body)) + body


PLAIN_ACTIONS: dict[type, bytes] = {
    Pass: _plain(cheat_pb2.CHEAT_ACTION_KIND_PASS),
    Call: _plain(cheat_pb2.CHEAT_ACTION_KIND_CALL),
    Decline: _plain(cheat_pb2.CHEAT_ACTION_KIND_DECLINE),
}


class ActionWriter:
    """Encodes the answers of one seat; one message serves all its plays."""

    __slots__ = ("_play",)

    def __init__(self) -> None:
        self._play = cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY)

    def write(self, answer: Answer) -> bytes:
        """Return the field of a Decision that holds the action."""
        if not isinstance(answer, Play):
            return PLAIN_ACTIONS[type(answer)]
        action = self._play
        action.cards = bytes(answer.cards)
        action.rank = answer.rank
        action.count = len(answer.cards)
        body = action.SerializeToString()
        return TAG + varint(len(body)) + body


def read_answer(decision: decision_pb2.Decision) -> Answer:
    """Return the answer that a decision was made of."""
    action, note = decision.cheat, decision.note
    match action.kind:
        case cheat_pb2.CHEAT_ACTION_KIND_PLAY:
            return Play.of(action.cards, action.rank, note)
        case cheat_pb2.CHEAT_ACTION_KIND_PASS:
            return Pass(note)
        case cheat_pb2.CHEAT_ACTION_KIND_CALL:
            return Call(note)
        case _:
            return Decline(note)
