"""Answers of Cheat as the action of a Decision, and back."""

from cheatarena.cheat.decisions import Answer, Believe, Call, Choose, Cut, Decline, Pass, Play
from cheatarena.encoding import field_tag, varint
from cheatarena.v1 import cheat_pb2, decision_pb2

TAG = field_tag(decision_pb2.Decision, "cheat")


def _encode(action: cheat_pb2.CheatAction) -> bytes:
    body = action.SerializeToString()
    return TAG + varint(len(body)) + body


def _plain(kind: cheat_pb2.CheatActionKind.ValueType) -> bytes:
    """Encode an action that has no fields but its kind."""
    return _encode(cheat_pb2.CheatAction(kind=kind))


PLAIN_ACTIONS: dict[type, bytes] = {
    Pass: _plain(cheat_pb2.CHEAT_ACTION_KIND_PASS),
    Call: _plain(cheat_pb2.CHEAT_ACTION_KIND_CALL),
    Decline: _plain(cheat_pb2.CHEAT_ACTION_KIND_DECLINE),
    Believe: _plain(cheat_pb2.CHEAT_ACTION_KIND_BELIEVE),
}


class ActionWriter:
    """Encodes the answers of one seat; one message serves all its plays."""

    __slots__ = ("_play",)

    def __init__(self) -> None:
        self._play = cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY)

    def write(self, answer: Answer) -> bytes:
        """Return the field of a Decision that holds the action."""
        if not isinstance(answer, Play):
            return PLAIN_ACTIONS.get(type(answer)) or _encode(_dealing(answer))
        action, count = self._play, answer.count
        action.cards = bytes(answer.cards)
        action.rank = answer.rank
        action.count = len(answer.cards) if count is None else count
        return _encode(action)


def _dealing(answer: Answer) -> cheat_pb2.CheatAction:
    """Make the message of a cut or a choice."""
    if isinstance(answer, Cut):
        return cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_CUT, sizes=answer.sizes)
    assert isinstance(answer, Choose)
    return cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_CHOOSE, packet=answer.packet)


def read_answer(decision: decision_pb2.Decision) -> Answer:
    """Return the answer that a decision was made of."""
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
