"""The hash tree over the order of a deck. With it, single cards can be revealed without the others.

The tree is that of RFC 6962, section 2.1, over leaves in the order of the deck:

    leaf      = SHA-256(0x00 ‖ position as u32 ‖ salt, 32 bytes ‖ card as u32)     positions from 0
    node      = SHA-256(0x01 ‖ left ‖ right); if a level has an odd number of nodes, its last node moves up unchanged
    root      = the last remaining node; SHA-256 of no bytes for an empty deck

A card is written as its 0-based index in the sorted deck. Numbers are big-endian.
"""

import struct
from collections.abc import Sequence
from hashlib import sha256

_LEAF = struct.Struct(">cI32sI")


def leaf_hash(position: int, salt: bytes, card: int) -> bytes:
    """Return the hash of a card at a position. The secret 32-byte salt prevents anyone from guessing the card."""
    return sha256(_LEAF.pack(b"\x00", position, salt, card)).digest()


def merkle_root(salts: Sequence[bytes], cards: Sequence[int]) -> bytes:
    """Return the hash of the whole deck. Raises ValueError if `salts` and `cards` differ in length."""
    level = [leaf_hash(position, salt, card) for position, (salt, card) in enumerate(zip(salts, cards, strict=True))]
    if not level:
        return sha256(b"").digest()
    while len(level) > 1:
        last = level[-1:] if len(level) % 2 else []
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [sha256(b"\x01" + left + right).digest() for left, right in pairs] + last
    return level[0]
