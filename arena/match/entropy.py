"""How bots add to the luck of a match: first a promise, with the seat; then, when all promises are in, what it hid.

Who contributes is fixed before anybody tells: nobody, the server neither, can choose after having seen what others add.
"""

from dataclasses import dataclass, field

from arena.deal.commitment import HASH_BYTES, Contribution, is_promised_entropy
from arena.match.scalars import EntrantIndex, Instant

MISSING = "missing"
MISMATCH = "mismatch"


@dataclass(slots=True)
class Entropy:
    """What the entrants of one match promise and tell."""

    promises: dict[EntrantIndex, bytes] = field(default_factory=dict)
    """By entrant: SHA-256 of 32 bytes."""
    until: Instant | None = None
    """Last instant at which entropy is taken; None: nobody has been asked."""
    _received: dict[EntrantIndex, bytes] = field(default_factory=dict)

    def promise(self, entrant: EntrantIndex, promised: bytes) -> None:
        """Note a promise; an empty one is none. Raises ValueError for another length than 32 bytes."""
        if len(promised) not in (0, HASH_BYTES):
            raise ValueError(f"a promise of {len(promised)} bytes is refused: expected {HASH_BYTES}, or none")
        if promised:
            self.promises[entrant] = promised

    def is_awaited_from(self, entrant: EntrantIndex) -> bool:
        """Whether this entrant is asked and has not answered."""
        return self.until is not None and entrant in self.promises and entrant not in self._received

    def accept(self, entrant: EntrantIndex, entropy: bytes) -> bool:
        """Take an entrant's entropy; only the first counts, right or wrong. Tells whether it was wanted."""
        is_wanted = self.is_awaited_from(entrant)
        if is_wanted:
            self._received[entrant] = entropy
        return is_wanted

    @property
    def is_complete(self) -> bool:
        """Whether everybody who promised has answered."""
        return len(self._received) == len(self.promises)

    def contributions(self) -> tuple[Contribution, ...]:
        """What everybody has added, by entrant; a promise that was not kept adds nothing but itself."""
        return tuple(self._contribution(entrant) for entrant in sorted(self.promises))

    def _contribution(self, entrant: EntrantIndex) -> Contribution:
        promised, told = self.promises[entrant], self._received.get(entrant)
        if told is None:
            return Contribution(entrant, promised, fault=MISSING)
        if not is_promised_entropy(told, promised):
            return Contribution(entrant, promised, fault=MISMATCH)
        return Contribution(entrant, promised, told)
