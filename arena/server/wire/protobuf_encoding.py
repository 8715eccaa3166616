"""Encodes protobuf tags, lengths and varints by hand, for the modules that join encoded pieces.

Source: the protobuf encoding guide, "Base 128 Varints" and "Length-Delimited Records".
"""

_VARINT_TABLE_SIZE = 1 << 14


def _encode_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class _ContinuedPairs(dict[int, bytes]):
    """Maps each number of 14 bits to its two varint bytes, both with the continuation bit set. Remembers them."""

    def __missing__(self, value: int) -> bytes:
        pair = self[value] = bytes((value & 0x7F | 0x80, value >> 7 | 0x80))
        return pair


_CONTINUED_PAIRS = _ContinuedPairs()


class _Varints(dict[int, bytes]):
    """Maps non-negative numbers to varints. Remembers the small ones, as every decision needs several of them."""

    def __missing__(self, value: int) -> bytes:
        if value < _VARINT_TABLE_SIZE:
            varint = self[value] = _encode_varint(value)
            return varint
        raw = b""
        while value >= _VARINT_TABLE_SIZE:
            raw += _CONTINUED_PAIRS[value & _VARINT_TABLE_SIZE - 1]
            value >>= 14
        return raw + self[value]


VARINT = _Varints()


def encode_tag(field: int, wire_type: int) -> bytes:
    """Return the tag of a field; wire types: 0 varint, 2 length-delimited."""
    return _encode_varint(field << 3 | wire_type)


def encode_delimited(tagged: bytes, raw: bytes) -> bytes:
    """Return a length-delimited field: its tag, its length and its bytes."""
    return tagged + VARINT[len(raw)] + raw
