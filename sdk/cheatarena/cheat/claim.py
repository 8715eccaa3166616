"""The claim of a move, and what this bot knows about the cards of that move."""

from dataclasses import dataclass

from cheatarena.cheat.cards import Card, Rank


@dataclass(slots=True, unsafe_hash=True)  # never changed; frozen would be three times slower
class Claim:
    """What a seat claimed to have laid, true or not."""

    seat: int
    rank: Rank
    count: int
    """The number of cards as claimed."""
    cards: tuple[Card, ...] | None = None
    """The cards laid, if this bot laid them or they are face up. None: unknown."""
    layer: int = 0
    """Number of the move's bit in `Knowledge`; for internal use."""
    laid: int | None = None
    """The number of cards laid; with `count_lies` it may differ from `count`. None: unknown."""

    def __str__(self) -> str:
        return f"seat {self.seat}: {self.count} x {self.rank}"
