"""Lots that everybody can draw again: an order of names that follows from a seed and from what it is drawn for.

    lot     = SHA-256(joined("lots-v1", seed, label, name))      `joined` as in `arena.deal.encoding`; text is UTF-8
    order   = names by their lots, the smallest first

A name's lot depends on no other name, so that somebody who comes or goes leaves the order of the others as it is.
"""

import hashlib
from collections.abc import Iterable

from arena.deal.encoding import join_fields


def draw_lot(seed: bytes, label: str, name: str) -> bytes:
    """Draw the lot of one name, 32 bytes."""
    return hashlib.sha256(join_fields(b"lots-v1", seed, label.encode(), name.encode())).digest()


def order_by_lots(seed: bytes, label: str, names: Iterable[str]) -> list[str]:
    """Put names into an order by lots; the order in which they come decides nothing.

    >>> order = order_by_lots(b"seed", "round 1", ["ann", "bob", "cid"])
    >>> order == order_by_lots(b"seed", "round 1", ["cid", "bob", "ann"])
    True
    """
    return sorted(names, key=lambda name: draw_lot(seed, label, name))
