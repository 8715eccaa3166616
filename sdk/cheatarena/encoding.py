"""Encodes a bot's decisions and notices for the wire.

Decisions are sent more often than anything else. Filling a message with the generated protobuf code takes longer than
writing its bytes, so this module itself writes the few fields of a decision in the protobuf encoding. Each game
encodes its own actions. A test decodes every kind of decision with the generated code.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from google.protobuf.message import Message

from cheatarena.v1 import decision_pb2, lobby_pb2, play_pb2

DECISIONS_TAG = b"\x0a"
"""Tag of field 1 of PlayRequest. A frame is the concatenation of separately encoded requests."""

PROMPT_ID_TAG, ACTION_ID_TAG, NOTE_TAG = b"\x18", b"\x20", b"\x2a"
"""Tags of fields 3, 4 and 5 of Decision."""


@lru_cache(maxsize=1 << 12)
def encode_varint(number: int) -> bytes:
    """Return a non-negative number as a varint: seven bits per byte, lowest bits first.

    >>> encode_varint(300).hex(" ")
    'ac 02'
    """
    digits = bytearray()
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def field_tag(message: type[Message], name: str) -> bytes:
    """Return the encoded tag of a field whose type is a message.

    >>> field_tag(decision_pb2.Decision, "cheat")
    b'R'
    """
    return encode_varint(message.DESCRIPTOR.fields_by_name[name].number << 3 | 2)


class DecisionWriter:
    """Encodes the decisions of one seat."""

    __slots__ = ("_head", "_write_action")

    def __init__(self, match: int, entrant: int, write_action: Callable[[Any], bytes]) -> None:
        seat = decision_pb2.Decision(match=match, entrant=entrant).SerializeToString()
        self._head = seat + PROMPT_ID_TAG
        self._write_action = write_action

    def write(self, prompt_id: int, action_id: int, answer: Any) -> bytes:
        """Return an encoded PlayRequest with one decision. Encoded requests can be concatenated."""
        action = self._write_action(answer)
        if answer.note:
            note = answer.note.encode(errors="replace")
            action = NOTE_TAG + encode_varint(len(note)) + note + action
        return self._write(prompt_id, action_id, action)

    def write_no_answer(self, prompt_id: int, action_id: int, told: decision_pb2.NoAnswer) -> bytes:
        """Return an encoded PlayRequest with one decision: the bot has no answer."""
        return self._write(prompt_id, action_id, decision_pb2.Decision(no_answer=told).SerializeToString())

    def _write(self, prompt_id: int, action_id: int, action: bytes) -> bytes:
        body = b"".join((self._head, encode_varint(prompt_id), ACTION_ID_TAG, encode_varint(action_id), action))
        return DECISIONS_TAG + encode_varint(len(body)) + body


def encode_accepted(prompt_id: int, action_id: int) -> bytes:
    """Return the DecisionAnswer that accepts a decision, encoded in exactly the bytes that the server sends."""
    return b"\x08%b\x10%b\x18\x01" % (encode_varint(prompt_id), encode_varint(action_id))


def encode_notice(notice: play_pb2.BotNotice) -> bytes:
    """Return an encoded PlayRequest with one notice. Encoded requests can be concatenated."""
    return play_pb2.PlayRequest(notices=[notice]).SerializeToString()


def encode_ready(match: int, entrant: int) -> bytes:
    """Return an encoded PlayRequest with the notice that a seat is ready for the next game."""
    return encode_notice(play_pb2.BotNotice(ready=lobby_pb2.Ready(match=match, entrant=entrant)))
