"""The receipt that a seat gets before its first card: a hash that binds the server to the deal without revealing it.

    receipt = SHA-256(joined("receipt-v1", C, root, transcript, positions, r))

`positions` has one byte for each seat of the deal's first game, clockwise: the entrant in that seat. `r` is 32 random
bytes that no other seat or table uses, so that receipts do not show which tables share a deal.
"""

import hashlib

from arena.deal.encoding import join_fields


def receipt_digest(committed: bytes, root: bytes, contributed: bytes, positions: bytes, salt: bytes) -> bytes:
    """Return the receipt of the seat with this salt (r). `committed` is C, and `contributed` is the transcript."""
    return hashlib.sha256(join_fields(b"receipt-v1", committed, root, contributed, positions, salt)).digest()
