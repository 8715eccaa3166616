"""Encodes byte fields for hashing. For plain values, `arena.plain_data.canonical_json` does the same."""

import struct

_LENGTH = struct.Struct(">I")


def join_fields(*fields: bytes) -> bytes:
    """Return the fields, each after its length (four bytes, big-endian). Different lists give different bytes.

    >>> join_fields(b"ab", b"").hex(" ")
    '00 00 00 02 61 62 00 00 00 00'
    """
    return b"".join([_LENGTH.pack(len(field)) + field for field in fields])
