"""What a seat is given before its first card: a hash that ties the server to this deal, and tells nothing of it.

    receipt = SHA-256(joined("receipt-v1", C, root, transcript, positions, r))

`positions` has a byte for each seat of the deal's first game, clockwise: the entrant that sits there. `r` is 32 random
bytes for that seat at that table alone, so that no two receipts of a deal can be recognised as such.
"""

import hashlib

from arena.deal.encoding import join_fields


def receipt_digest(committed: bytes, root: bytes, contributed: bytes, positions: bytes, salt: bytes) -> bytes:
    """The receipt of the seat whose salt (r) this is; `committed` is C, `contributed` the transcript."""
    return hashlib.sha256(join_fields(b"receipt-v1", committed, root, contributed, positions, salt)).digest()
