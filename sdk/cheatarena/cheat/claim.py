"""What a move says of itself, and what is known of it."""

from dataclasses import dataclass

from cheatarena.cheat.cards import Card, Rank


@dataclass(slots=True, unsafe_hash=True)  # a value that nobody changes; frozen would make it three times as dear
class Claim:
    """What a seat said it laid. True or not."""

    seat: int
    rank: Rank
    count: int
    """The number of cards as claimed."""
    cards: tuple[Card, ...] | None = None
    """The cards, where this seat laid them itself or they lie face up. None: unknown."""
    layer: int = 0
    """Names the move within the game; for the table's own use."""
    laid: int | None = None
    """The number of cards that were laid, which differs from the claimed one where the rules let numbers be lies. None:
    unknown."""

    def __str__(self) -> str:
        return f"seat {self.seat}: {self.count} x {self.rank}"
