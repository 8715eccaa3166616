"""Takes frames and seat messages apart without decoding what is inside of them.

To touch one sub-message of a decoded frame costs about as much as all that this module does with a whole message, and
most facts are never looked at. So the outer two levels are read here, byte by byte as the encoding of protobuf says
(protobuf.dev/programming-guides/encoding), and the parts stay bytes until somebody wants them. A field that is not
known here is skipped, as the generated code would.
"""

from cheatarena.errors import ProtocolError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""How a field is written: the lowest three bits of its tag. The rest of the tag is the field's number."""

MESSAGES = 1 << 3 | BYTES
"""The tag of PlayResponse.messages."""

MATCH, ENTRANT, SEQUENCE = 1 << 3 | VARINT, 2 << 3 | VARINT, 3 << 3 | VARINT
EVENTS, PROMPTS, WITHDRAWN = 4 << 3 | BYTES, 5 << 3 | BYTES, 6 << 3 | BYTES
ANSWERS, SNAPSHOT = 7 << 3 | BYTES, 8 << 3 | BYTES
"""The tags of SeatMessage."""


Parts = tuple[int, int, int, list[bytes], list[bytes], bytes, list[bytes], bytes | None]
"""One SeatMessage: match, entrant, sequence, events, prompts, withdrawn ids as varints, answers, snapshot if present.

A plain tuple, as it lives for a microsecond and a named one takes half of that to make.
"""


def split_frame(data: bytes) -> tuple[list[bytes], bytes]:
    """Split a PlayResponse into its messages, and a PlayResponse of all the rest.

    Raises ProtocolError where it is none.
    """
    messages: list[bytes] = []
    rest = b""
    position, end = 0, len(data)
    try:
        while position < end:
            start = position
            if data[start] != MESSAGES:
                position = _skip(data, start)
                rest += data[start:position]
                continue
            length, position = data[start + 1], start + 2
            if length > 127:
                length, position = _varint(data, start + 1)
            start, position = position, position + length
            messages.append(data[start:position])
    except IndexError:
        position = end + 1
    if position > end:
        raise ProtocolError("a frame ends too early")
    return messages, rest


def split_message(data: bytes) -> Parts:  # noqa: C901, PLR0912 - one branch a field: the price of its speed
    """Split a SeatMessage.

    Raises ProtocolError where it is none.
    """
    match = entrant = sequence = 0
    events: list[bytes] = []
    prompts: list[bytes] = []
    answers: list[bytes] = []
    withdrawn, snapshot = b"", None
    position, end = 0, len(data)
    try:
        while position < end:
            start = position
            tag, value, position = data[start], data[start + 1], start + 2
            if value > 127:
                value, position = _varint(data, start + 1)
            if tag == EVENTS:
                start, position = position, position + value
                events.append(data[start:position])
            elif tag == SEQUENCE:
                sequence = value
            elif tag == MATCH:
                match = value
            elif tag == ENTRANT:
                entrant = value
            elif tag == PROMPTS:
                start, position = position, position + value
                prompts.append(data[start:position])
            elif tag == ANSWERS:
                start, position = position, position + value
                answers.append(data[start:position])
            elif tag == WITHDRAWN:
                start, position = position, position + value
                withdrawn += data[start:position]
            elif tag == SNAPSHOT:
                start, position = position, position + value
                snapshot = data[start:position]
            else:
                position = _skip(data, start)
    except IndexError:
        position = end + 1
    if position > end:
        raise ProtocolError("a message ends too early")
    return match, entrant, sequence, events, prompts, withdrawn, answers, snapshot


def varints(data: bytes) -> list[int]:
    """Read packed numbers."""
    numbers, position = [], 0
    while position < len(data):
        number, position = _varint(data, position)
        numbers.append(number)
    return numbers


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Read a number; return it and where it ends."""
    number = shift = 0
    while True:
        digit = data[position]
        position += 1
        number |= (digit & 127) << shift
        if digit < 128:
            return number, position
        shift += 7


def _skip(data: bytes, position: int) -> int:
    """Return where the field ends that begins at ``position``."""
    tag, position = _varint(data, position)
    kind = tag & 7
    if kind == VARINT:
        return _varint(data, position)[1]
    if kind == BYTES:
        length, position = _varint(data, position)
        return position + length
    if kind in {FIXED32, FIXED64}:
        return position + (8 if kind == FIXED64 else 4)
    raise ProtocolError(f"a field is written in an unknown way {kind}")
