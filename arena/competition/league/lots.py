"""Reproducible lots: an order of names that follows from a seed and a label.

    lot     = SHA-256(joined("lots-v1", seed, label, name))
    order   = names by their lots, the smallest first

`joined` is `arena.match.deal.commitment.join_fields`; text is UTF-8.

A name's lot depends on no other name, so an entrant that joins or leaves does not change the order of the others.
"""

import hashlib
from collections.abc import Iterable

from arena.match.deal.commitment import join_fields


def draw_lot(seed: bytes, label: str, name: str) -> bytes:
    """Return the lot of a name, 32 bytes."""
    return hashlib.sha256(join_fields(b"lots-v1", seed, label.encode(), name.encode())).digest()


def order_by_lots(seed: bytes, label: str, names: Iterable[str]) -> list[str]:
    """Return names ordered by their lots. The order in which they are given has no effect.

    >>> order = order_by_lots(b"seed", "round 1", ["ann", "bob", "cid"])
    >>> order == order_by_lots(b"seed", "round 1", ["cid", "bob", "ann"])
    True
    """
    return sorted(names, key=lambda name: draw_lot(seed, label, name))
