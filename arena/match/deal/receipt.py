"""The receipt that a seat gets before its first card: a hash that binds the server to the deal without revealing it.

    terms hash = SHA-256(joined("terms-v1", t, match id, canonical JSON of the terms))
    receipt    = SHA-256(joined("receipt-v2", C, root, transcript, positions, terms hash, r))

`arena.match.deal.commitment` defines `joined`, C and the transcript. The root is that of a hash tree over the
order of the deck, with which single cards can be revealed without the others (RFC 6962, section 2.1):

    leaf = SHA-256(0x00 ‖ position as u32 ‖ salt, 32 bytes ‖ card as u32)     positions from 0
    node = SHA-256(0x01 ‖ left ‖ right); if a level has an odd number of nodes, its last node moves up unchanged
    root = the last remaining node; SHA-256 of no bytes for an empty deck

A card is written as its 0-based index in the sorted deck. Numbers are big-endian.

`positions` has one byte for each seat of the deal's first game, clockwise: the entrant in that seat. `r` is 32 random
bytes that no other seat or table uses, so that receipts do not show which tables share a deal. `t` is 32 random bytes
that no bot ever gets. Bots get all other inputs of a receipt. Without `t`, they could try out names of bots until the
hash matches, and so learn the names in an anonymous match.

Deals of release 0.1.0 have no `t`. Through C, their receipts bind the rules, but they bind neither the match id nor the
other terms:

    receipt    = SHA-256(joined("receipt-v1", C, root, transcript, positions, r))
"""

import hashlib
import struct
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from arena.match.deal.commitment import join_fields
from arena.plain_data import canonical_json


def terms_hash(salt: bytes, match_id: str, terms: Mapping[str, Any]) -> bytes:
    """Return the hash of a match's id and terms. `salt` is t, and `terms` has every term as a plain value."""
    return hashlib.sha256(join_fields(b"terms-v1", salt, match_id.encode(), canonical_json(terms))).digest()


def receipt_digest(
    committed: bytes, root: bytes, contributed: bytes, positions: bytes, salt: bytes, terms: bytes = b""
) -> bytes:
    """Return the receipt of the seat whose `r` is `salt`.

    `committed` is C, `contributed` is the transcript, and `terms` is the terms hash. Without `terms`, the receipt has
    the form of release 0.1.0.
    """
    fields = (committed, root, contributed, positions)
    if not terms:
        return hashlib.sha256(join_fields(b"receipt-v1", *fields, salt)).digest()
    return hashlib.sha256(join_fields(b"receipt-v2", *fields, terms, salt)).digest()


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
