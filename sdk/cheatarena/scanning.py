"""Splits frames and seat messages without decoding their parts.

Most facts are never read, so decoding all of them would waste time. With the generated protobuf code, reading one
sub-message of a frame takes about as long as splitting a whole message here. So this module parses only the two outer
levels of the protobuf encoding (protobuf.dev/programming-guides/encoding). The parts stay bytes until they are needed.
Like the generated code, this module skips unknown fields.
"""

from collections.abc import Sequence
from typing import Final

from cheatarena.errors import ProtocolError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""Wire types: the lowest three bits of a field's tag. The other bits are the field's number."""

MESSAGES_TAG = 1 << 3 | BYTES
"""The tag of PlayResponse.messages."""

MATCH, ENTRANT, SEQUENCE = 1 << 3 | VARINT, 2 << 3 | VARINT, 3 << 3 | VARINT
EVENTS, PROMPTS, WITHDRAWN = 4 << 3 | BYTES, 5 << 3 | BYTES, 6 << 3 | BYTES
ANSWERS, SNAPSHOT, JOINED_COUNT = 7 << 3 | BYTES, 8 << 3 | BYTES, 9 << 3 | VARINT
"""The tags of SeatMessage."""

ONE_WITHDRAWN = 6 << 3 | VARINT
"""The tag of a single id of `withdrawn`. Protobuf allows this form too, and the server writes it."""


MessageParts = tuple[int, int, int, Sequence[bytes], Sequence[bytes], bytes, Sequence[bytes], bytes | None, int]
"""The parts of one SeatMessage: match, entrant, sequence, events, prompts, withdrawn, answers, snapshot, joined_count.

`withdrawn` has the ids of closed prompts as varints. The snapshot is None if the message has none. This is a plain
tuple, because constructing a named tuple would take about half a microsecond for each message.
"""

SEQUENCE_INDEX: Final = 2
PROMPTS_INDEX: Final = 4
"""Indexes into `MessageParts`."""


def split_frame(data: bytes) -> tuple[list[bytes], bytes]:
    """Split a PlayResponse. Return its encoded messages, and all its other fields as an encoded PlayResponse.

    Raises ProtocolError if the bytes are malformed.
    """
    messages: list[bytes] = []
    rest = b""
    position, end = 0, len(data)
    try:
        while position < end:
            if data[position] == MESSAGES_TAG:
                length, start = data[position + 1], position + 2
                if length > 127:
                    length, start = read_varint_at(data, position + 1)
                position = start + length
                messages.append(data[start:position])
            else:
                start, position = position, _end_of_field(data, position)
                rest += data[start:position]
    except IndexError:
        position = end + 1
    if position > end:
        raise ProtocolError("a frame ends too early")
    return messages, rest


def split_message(data: bytes) -> MessageParts:
    """Split a SeatMessage. Raises ProtocolError if the bytes are malformed.

    Most messages begin with match, entrant and sequence, then have a joined_count if it is not 0, and then only short
    events, prompts and answers. A fast path handles these messages.
    """
    events: list[bytes] = []
    prompts: list[bytes] = []
    answers: list[bytes] = []
    entrant, end = 0, len(data)
    try:
        match, position = data[1], 2
        if match > 127:
            match, position = read_varint_at(data, 1)
        if data[position] == ENTRANT:
            entrant, position = data[position + 1], position + 2
        sequence, sequence_tag, position = data[position + 1], data[position], position + 2
        if sequence > 127:
            sequence, position = sequence - 128 | data[position] << 7, position + 1
            if sequence >> 14:
                sequence, position = read_varint_at(data, position - 2)
        joined_count = data[position + 1] if data[position] == JOINED_COUNT else 0
        position += 2 if joined_count else 0
        is_usual = data[0] == MATCH and sequence_tag == SEQUENCE and entrant < 128 and joined_count < 128
        limit = end if is_usual else 0
        while position < limit:
            tag, length, start = data[position], data[position + 1], position + 2
            position = start + length
            if length > 127:
                break
            if tag == EVENTS:
                events.append(data[start:position])
            elif tag == PROMPTS:
                prompts.append(data[start:position])
            elif tag == ANSWERS:
                answers.append(data[start:position])
            else:
                break
            if position == end:
                return match, entrant, sequence, events, prompts, b"", answers, None, joined_count
    except IndexError:
        pass
    return _split_in_any_order(data)


def _split_in_any_order(data: bytes) -> MessageParts:
    """Split a SeatMessage that may have any fields in any order."""
    numbers = {MATCH: 0, ENTRANT: 0, SEQUENCE: 0, JOINED_COUNT: 0}
    pieces: dict[int, list[bytes]] = {EVENTS: [], PROMPTS: [], WITHDRAWN: [], ANSWERS: [], SNAPSHOT: []}
    position, end = 0, len(data)
    try:
        while position < end:
            tag, start = data[position], position + 1
            position = _end_of_field(data, position)
            if tag in numbers:
                numbers[tag] = read_varint_at(data, start)[0]
            elif tag in pieces:
                pieces[tag].append(data[read_varint_at(data, start)[1] : position])
            elif tag == ONE_WITHDRAWN:
                pieces[WITHDRAWN].append(data[start:position])
    except IndexError:
        position = end + 1
    if position > end:
        raise ProtocolError("a message ends too early")
    events, prompts, withdrawn, answers, snapshots = pieces.values()
    snapshot = b"".join(snapshots) if snapshots else None
    match, entrant, sequence, joined_count = numbers.values()
    return match, entrant, sequence, events, prompts, b"".join(withdrawn), answers, snapshot, joined_count


def read_varints(data: bytes) -> list[int]:
    """Return the numbers of a packed varint field."""
    numbers, position = [], 0
    while position < len(data):
        number, position = read_varint_at(data, position)
        numbers.append(number)
    return numbers


def read_varint_at(data: bytes, position: int) -> tuple[int, int]:
    """Return the varint at a position, and the position after it."""
    number, shift = data[position] & 127, 7
    while data[position] > 127:
        position += 1
        number |= (data[position] & 127) << shift
        shift += 7
    return number, position + 1


def _end_of_field(data: bytes, position: int) -> int:
    """Return the end of the field that begins at ``position``."""
    tag, position = read_varint_at(data, position)
    kind = tag & 7
    if kind == VARINT:
        return read_varint_at(data, position)[1]
    if kind == BYTES:
        length, position = read_varint_at(data, position)
        return position + length
    if kind in {FIXED32, FIXED64}:
        return position + (8 if kind == FIXED64 else 4)
    raise ProtocolError(f"a field has the unknown wire type {kind}")
