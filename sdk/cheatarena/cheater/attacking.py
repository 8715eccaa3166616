"""The attack of a turn, as the table shows it."""

from dataclasses import dataclass

from cheatarena.cheater.answers import Attack
from cheatarena.cheater.cards import Card


@dataclass(frozen=True, slots=True)
class Attacking:
    """The attack of the seat whose turn it is."""

    attack: Attack
    """The kind of attack."""
    target: int
    """The attacked seat."""
    card: Card | None
    """The card laid for the attack, possibly a WILD; None for a DEMAND."""
