"""The claim of a move, and what this bot knows about the cards of that move."""

from dataclasses import dataclass

from cheatarena.cheat.cards import Card, Rank


@dataclass(slots=True, unsafe_hash=True)  # never changed; frozen would be three times slower
class Claim:
    """What a seat claimed to have laid, true or not."""

    seat: int
    """The seat that claims."""
    rank: Rank
    """The claimed rank."""
    count: int
    """The claimed number of cards."""
    cards: tuple[Card, ...] | None = None
    """The cards laid; None unless this bot laid them or they are face up."""
    layer: int = 0
    """Number of the move's bit in `Knowledge`. Bots do not need it."""
    laid: int | None = None
    """The number of cards laid, which may differ from `count` if the ruleset has `count_lies`; None if unknown."""

    def __str__(self) -> str:
        return f"seat {self.seat}: {self.count} x {self.rank}"
