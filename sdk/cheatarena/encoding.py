"""A bot's decisions and notices as bytes on the wire.

Decisions are the most frequent thing that a program sends, and to fill a generated message costs more than all of
its bytes do. So the few fields of a decision are joined here, as the encoding of protobuf says; the actions in them
come from the generated code. A test decodes every kind with the generated code again.
"""

from cheatarena.decisions import Answer, Call, Decline, Pass, Play
from cheatarena.v1 import cheat_pb2, decision_pb2, lobby_pb2, play_pb2

DECISIONS_TAG = b"\x0a"
"""Field 1 of PlayRequest, length-delimited. Frames are joined from requests that were encoded one by one."""

PROMPT_ID_TAG, ACTION_ID_TAG, NOTE_TAG, ACTION_TAG = b"\x18", b"\x20", b"\x2a", b"\x52"
"""Fields 3, 4, 5 and 10 of Decision."""


def varint(number: int) -> bytes:
    """Write a number of 0 or more, seven bits a byte, the lowest first.

    >>> varint(300).hex(" ")
    'ac 02'
    """
    if number < 128:
        return ONE_BYTE[number]
    if number < 1 << 14:
        return bytes((number & 127 | 128, number >> 7))
    digits = bytearray()
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    digits.append(number)
    return bytes(digits)


ONE_BYTE = tuple(bytes((number,)) for number in range(128))


def _action(kind: cheat_pb2.CheatActionKind.ValueType) -> bytes:
    """Encode an action that has no fields but its kind."""
    body = cheat_pb2.CheatAction(kind=kind).SerializeToString()
    return ACTION_TAG + varint(len(body)) + body


PLAIN_ACTIONS: dict[type, bytes] = {
    Pass: _action(cheat_pb2.CHEAT_ACTION_KIND_PASS),
    Call: _action(cheat_pb2.CHEAT_ACTION_KIND_CALL),
    Decline: _action(cheat_pb2.CHEAT_ACTION_KIND_DECLINE),
}


class DecisionWriter:
    """Writes the decisions of one seat."""

    __slots__ = ("_head", "_play")

    def __init__(self, match: int, entrant: int) -> None:
        seat = decision_pb2.Decision(match=match, entrant=entrant).SerializeToString()
        self._head = seat + PROMPT_ID_TAG
        self._play = cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY)

    def write(self, prompt_id: int, action_id: int, answer: Answer) -> bytes:
        """Return a PlayRequest with one decision, ready to be joined with others."""
        action = self._write_play(answer) if isinstance(answer, Play) else PLAIN_ACTIONS[type(answer)]
        if answer.note:
            note = answer.note.encode(errors="replace")
            action = NOTE_TAG + varint(len(note)) + note + action
        body = self._head + varint(prompt_id) + ACTION_ID_TAG + varint(action_id) + action
        return DECISIONS_TAG + varint(len(body)) + body

    def _write_play(self, play: Play) -> bytes:
        action = self._play
        action.cards = bytes(play.cards)
        action.rank = play.rank
        action.count = len(play.cards)
        body = action.SerializeToString()
        return ACTION_TAG + varint(len(body)) + body


def encode_notice(notice: play_pb2.BotNotice) -> bytes:
    """Return a PlayRequest with one notice, ready to be joined with others."""
    return play_pb2.PlayRequest(notices=[notice]).SerializeToString()


def encode_ready(match: int, entrant: int) -> bytes:
    """Return a PlayRequest that says that a seat is ready for the next game."""
    return encode_notice(play_pb2.BotNotice(ready=lobby_pb2.Ready(match=match, entrant=entrant)))
