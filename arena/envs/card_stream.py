"""The cards of one environment or table: game after game from one seed, which no other environment shares."""

import os
from operator import index

from arena.errors import OptionError
from arena.match.deal.practice_seed import PRACTICE_ID, practice_seed
from arena.match.deal.stream import SEED_BYTES, SeededChance


class CardStream:
    """Deals one game after another. A number as seed deals the same cards as the seed of `arena.practice.play`."""

    def __init__(self, seed: int | bytes | None = None, number: int = 0) -> None:
        """`number` is that of the next game. Without a seed, the cards are random. Raises OptionError."""
        self.seed = os.urandom(SEED_BYTES) if seed is None else practice_seed(_read_seed(seed))
        """32 bytes. A stream with this seed deals the same cards."""
        self.chance = SeededChance(self.seed, PRACTICE_ID)
        self._next = number

    def next_number(self) -> int:
        """Return the number of the next game, and count it."""
        self._next += 1
        return self._next - 1


def _read_seed(seed: int | bytes) -> int | bytes:
    if isinstance(seed, bytes):
        return seed
    try:
        return index(seed)
    except TypeError:
        raise OptionError("seed", seed, "expected a whole number, or 32 bytes") from None
