"""Seed and id of deals that count for nothing: in practice and in learning environments, which deal the same."""

import hashlib
from typing import Final

PRACTICE_ID: Final = "PRACTICE"
"""The deal id of all such games: it is fixed, so that the cards depend on the seed alone."""


def practice_seed(seed: int | bytes) -> bytes:
    """Return the 32-byte seed of a deal, given a number, or the seed itself."""
    return seed if isinstance(seed, bytes) else hashlib.sha256(str(seed).encode()).digest()
