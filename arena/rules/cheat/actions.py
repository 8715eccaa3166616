"""What a seat can do. Plain values; whether they are legal is another module's question."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Play:
    """Lay cards face down and claim what they are."""

    cards: bytes
    """Codes of the cards laid, ascending; may be empty. Secret."""
    count: int
    """How many cards are claimed."""
    rank: int
    """The claimed rank, 0 (ace) to 12 (king)."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Give up the turn, where the ruleset allows it."""


@dataclass(frozen=True, slots=True)
class Call:
    """Doubt the last move."""


@dataclass(frozen=True, slots=True)
class Decline:
    """Say that the last move is not doubted."""


Action: TypeAlias = Play | Pass | Call | Decline

PASS = Pass()
CALL = Call()
DECLINE = Decline()
