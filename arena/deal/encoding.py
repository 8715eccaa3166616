"""How values become the bytes that are hashed: one way for fields, one for plain values."""

import json
import struct
from typing import Any

_LENGTH = struct.Struct(">I")


def join_fields(*fields: bytes) -> bytes:
    """Fields one after the other, each behind its length as four bytes, big-endian: no two lists give the same bytes.

    >>> join_fields(b"ab", b"").hex(" ")
    '00 00 00 02 61 62 00 00 00 00'
    """
    return b"".join([_LENGTH.pack(len(field)) + field for field in fields])


def canonical_json(value: Any) -> bytes:
    """Plain values as bytes that are the same on every machine: JSON with sorted keys and no spaces, in UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
