"""How bots contribute entropy to a match.

A bot may promise entropy when it accepts its seat. The promise is the hash of the entropy. Once all promises are in,
the bots are asked for their entropy. The promises are fixed by then, so neither a bot nor the server can choose a
contribution after seeing another one.
"""

from dataclasses import dataclass, field

from arena.match.deal.commitment import HASH_BYTES, Contribution, is_promised_entropy
from arena.match.referee.scalars import EntrantIndex, Instant

MISSING = "missing"
MISMATCH = "mismatch"


@dataclass(slots=True)
class Entropy:
    """The promises and the entropy of the entrants of one match."""

    promises: dict[EntrantIndex, bytes] = field(default_factory=dict)
    """By entrant: the SHA-256 hash that the entrant's 32 bytes of entropy must have."""
    until: Instant | None = None
    """The last instant at which entropy is accepted; None until the bots have been asked."""
    is_credited: bool = False
    """Whether a wait of the request for a slow disk was added to `until`."""
    _received: dict[EntrantIndex, bytes] = field(default_factory=dict)

    def promise(self, entrant: EntrantIndex, promised: bytes) -> None:
        """Note a promise; empty bytes mean no promise. Raises ValueError unless `promised` has 0 or 32 bytes."""
        if len(promised) not in (0, HASH_BYTES):
            raise ValueError(f"a promise of {len(promised)} bytes is refused: expected {HASH_BYTES}, or none")
        if promised:
            self.promises[entrant] = promised

    def is_awaited_from(self, entrant: EntrantIndex) -> bool:
        """Return whether this entrant was asked and has not answered."""
        return self.until is not None and entrant in self.promises and entrant not in self._received

    def accept(self, entrant: EntrantIndex, entropy: bytes) -> bool:
        """Take an entrant's entropy, and return whether it was awaited.

        Only the entrant's first answer counts, right or wrong.
        """
        is_wanted = self.is_awaited_from(entrant)
        if is_wanted:
            self._received[entrant] = entropy
        return is_wanted

    @property
    def is_complete(self) -> bool:
        """Whether every entrant with a promise has answered."""
        return len(self._received) == len(self.promises)

    def contributions(self) -> tuple[Contribution, ...]:
        """Return the contributions in entrant order; a broken promise contributes only the promise itself."""
        contributions = []
        for entrant, promised in sorted(self.promises.items()):
            entropy = self._received.get(entrant)
            if entropy is None:
                contributions.append(Contribution(entrant, promised, fault=MISSING))
            elif is_promised_entropy(entropy, promised):
                contributions.append(Contribution(entrant, promised, entropy))
            else:
                contributions.append(Contribution(entrant, promised, fault=MISMATCH))
        return tuple(contributions)
