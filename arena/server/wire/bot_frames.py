"""Reads the frames that bots send.

Nearly all frames are short and have only decisions. Each decision has match, entrant, prompt id and action id, and then
its content, which is the action and perhaps a note. Such a frame is read in one pass, without a protobuf object for
each decision: with 64 matches, that takes 6 % of the server's time instead of 12 %. The same few contents recur often,
so known contents are not checked again. All other frames are left to protobuf.
"""

from collections.abc import Sequence

from google.protobuf.message import DecodeError

from cheatarena.v1.decision_pb2 import Decision
from cheatarena.v1.play_pb2 import BotNotice, PlayRequest

_DECISIONS = 1 << 3 | 2
_MATCH, _ENTRANT, _PROMPT_ID, _ACTION_ID = 1 << 3, 2 << 3, 3 << 3, 4 << 3
_MAX_BYTE = 0x7F
"""The largest varint of one byte. Longer decisions, and entrants with higher indexes, are left to protobuf."""
MAX_SCANNED_BYTES = 4096
"""The longest frame that is read in one pass. For a longer one, protobuf is faster at counting the decisions."""
_MAX_KNOWN = 4096
"""The most contents that are remembered; when there would be more, all are forgotten."""
_known_contents: set[bytes] = set()
"""Contents that protobuf reads, and would write in the same way."""


SentDecision = tuple[int, int, int, int, bytes, int]
"""A decision as a bot has sent it: match, entrant, prompt id, action id, content, and size in bytes.

The content has the other fields, which are note and action, as an encoded `Decision`. This is a plain tuple, because a
named tuple takes three times as long to construct.
"""


class BotFrame:
    """A frame that a bot has sent. Reading decisions out of a long frame can be spread over several steps."""

    def __init__(self, raw: bytes) -> None:
        """Raises DecodeError if the bytes are not a frame."""
        self._scanned = _scan_decisions(raw) if len(raw) <= MAX_SCANNED_BYTES else None
        request = PlayRequest.FromString(raw if self._scanned is None else b"")
        self._decisions = request.decisions
        self.notices: Sequence[BotNotice] = request.notices
        self.decision_count = len(request.decisions if self._scanned is None else self._scanned)

    def read_decisions(self, first: int, end: int) -> Sequence[SentDecision]:
        """Return the decisions from index `first` up to `end`, which is not included."""
        if self._scanned is not None:
            return self._scanned[first:end]
        return [_split_decision(each) for each in self._decisions[first:end]]


def _split_decision(decision: Decision) -> SentDecision:
    content = Decision()
    content.CopyFrom(decision)
    for name in ("match", "entrant", "prompt_id", "action_id"):
        content.ClearField(name)
    return (
        decision.match,
        decision.entrant,
        decision.prompt_id,
        decision.action_id,
        content.SerializeToString(),
        decision.ByteSize(),
    )


def _scan_decisions(raw: bytes) -> list[SentDecision] | None:
    """Return the decisions of a frame that is written as usual; None for any other frame, or if it is malformed."""
    decisions: list[SentDecision] = []
    position, end = 0, len(raw)
    try:
        while position < end:
            tag, size, at = raw[position], raw[position + 1], position + 2
            position = at + size
            match = entrant = 0
            if raw[at] == _MATCH:
                match, at = raw[at + 1], at + 2
                if match > _MAX_BYTE:
                    match, at = _read_long_number(raw, at - 1)
            if raw[at] == _ENTRANT:
                entrant, at = raw[at + 1], at + 2
            prompt_tag, prompt_id, at = raw[at], raw[at + 1], at + 2
            if prompt_id > _MAX_BYTE:
                prompt_id, at = _read_long_number(raw, at - 1)
            action_tag, action_id, at = raw[at], raw[at + 1], at + 2
            if action_id > _MAX_BYTE:
                action_id, at = _read_long_number(raw, at - 1)
            is_usual = tag == _DECISIONS and prompt_tag == _PROMPT_ID and action_tag == _ACTION_ID
            if not is_usual or size > _MAX_BYTE or entrant > _MAX_BYTE or at > position:
                return None
            content = raw[at:position]
            if not _is_usual_content(content):
                return None
            decisions.append((match, entrant, prompt_id, action_id, content, size))
    except IndexError:
        return None
    return decisions if position == end else None


def _read_long_number(raw: bytes, at: int) -> tuple[int, int]:
    """Return the varint of several bytes at a position, and the position after it.

    Raises IndexError if it has more than four bytes, as no number of an ordinary bot has.
    """
    number = raw[at] & _MAX_BYTE | (raw[at + 1] & _MAX_BYTE) << 7
    if raw[at + 1] <= _MAX_BYTE:
        return number, at + 2
    number |= (raw[at + 2] & _MAX_BYTE) << 14
    if raw[at + 2] <= _MAX_BYTE:
        return number, at + 3
    if raw[at + 3] > _MAX_BYTE:
        raise IndexError("the number is too long")
    return number | raw[at + 3] << 21, at + 4


def _is_usual_content(content: bytes) -> bool:
    """Return whether a content is well-formed and written as usual, and remember it if it is.

    Otherwise it may be malformed, or it may have fields such as `match` again, which then count instead of the first.
    """
    if content in _known_contents:
        return True
    try:
        decision = Decision.FromString(content)
    except DecodeError:
        return False
    has_more = decision.match or decision.entrant or decision.prompt_id or decision.action_id
    if has_more or decision.SerializeToString() != content:
        return False
    if len(_known_contents) >= _MAX_KNOWN:
        _known_contents.clear()
    _known_contents.add(content)
    return True
