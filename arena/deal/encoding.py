"""Canonical encodings for hashing: `join_fields` for byte fields, `canonical_json` for plain values."""

import json
import struct
from typing import Any

_LENGTH = struct.Struct(">I")


def join_fields(*fields: bytes) -> bytes:
    """Return the fields, each after its length (four bytes, big-endian); no two lists give the same bytes.

    >>> join_fields(b"ab", b"").hex(" ")
    '00 00 00 02 61 62 00 00 00 00'
    """
    return b"".join([_LENGTH.pack(len(field)) + field for field in fields])


def canonical_json(value: Any) -> bytes:
    """Return plain values as JSON with sorted keys and no spaces, in UTF-8: the same bytes on every machine."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
