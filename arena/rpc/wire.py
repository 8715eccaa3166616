"""Protobuf by hand, for the few places where encoded pieces are joined: tags, lengths, varints.

Source: the protobuf encoding guide, "Base 128 Varints" and "Length-Delimited Records".
"""

_DIGIT = 1 << 14
"""Numbers are put together from two bytes at a time, which are looked up."""


def _encode(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_LAST = tuple(_encode(value) for value in range(_DIGIT))
_MORE = tuple(bytes((value & 0x7F | 0x80, value >> 7 | 0x80)) for value in range(_DIGIT))


def varint(value: int) -> bytes:
    """A non-negative number in base 128."""
    if value < _DIGIT:
        return _LAST[value]
    raw = b""
    while value >= _DIGIT:
        raw += _MORE[value & _DIGIT - 1]
        value >>= 14
    return raw + _LAST[value]


def tag(field: int, wire_type: int) -> bytes:
    """What begins a field; wire types: 0 varint, 2 length-delimited."""
    return _encode(field << 3 | wire_type)


def delimited(tagged: bytes, raw: bytes) -> bytes:
    """A length-delimited field: its tag, its length, its bytes."""
    return tagged + varint(len(raw)) + raw
