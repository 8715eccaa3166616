"""How fields become the bytes that are hashed; values of any other kind are `arena.plain_data.canonical_json`."""

import struct

_LENGTH = struct.Struct(">I")


def join_fields(*fields: bytes) -> bytes:
    """Fields one after the other, each behind its length as four bytes, big-endian: no two lists give the same bytes.

    >>> join_fields(b"ab", b"").hex(" ")
    '00 00 00 02 61 62 00 00 00 00'
    """
    return b"".join([_LENGTH.pack(len(field)) + field for field in fields])
