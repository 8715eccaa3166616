"""The receipt that a seat gets before its first card: a hash that binds the server to the deal without revealing it.

    terms hash = SHA-256(joined("terms-v1", t, match id, canonical JSON of the terms))
    receipt    = SHA-256(joined("receipt-v2", C, root, transcript, positions, terms hash, r))

`arena.match.deal.commitment` defines `joined`, C and the transcript, and `arena.match.deal.merkle` defines the root.

`positions` has one byte for each seat of the deal's first game, clockwise: the entrant in that seat. `r` is 32 random
bytes that no other seat or table uses, so that receipts do not show which tables share a deal. `t` is 32 random bytes
that no bot ever gets. Bots get all other inputs of a receipt. Without `t`, they could try out names of bots until the
hash matches, and so learn the names in an anonymous match.

Deals of release 0.1.0 have no `t`. Through C, their receipts bind the rules, but they bind neither the match id nor the
other terms:

    receipt    = SHA-256(joined("receipt-v1", C, root, transcript, positions, r))
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from arena.match.deal.encoding import join_fields
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
