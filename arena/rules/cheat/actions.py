"""What a seat can do. Plain values; whether they are legal is another module's question."""

from typing import TypeAlias

from arena.rules.value_class import value_class


@value_class()
class Play:
    """Lay cards face down and claim what they are."""

    cards: bytes
    """Codes of the cards laid, ascending; may be empty. Secret."""
    count: int
    """How many cards are claimed."""
    rank: int
    """The claimed rank, 0 (ace) to 12 (king)."""


@value_class()
class Pass:
    """Give up the turn, where the ruleset allows it."""


@value_class()
class Call:
    """Doubt the last move."""


@value_class()
class Believe:
    """Vouch for the last move, where the ruleset allows it."""


@value_class()
class Decline:
    """Say that the last move is neither doubted nor believed."""


@value_class()
class Cut:
    """Cut the deck into packets, as its dealer."""

    sizes: tuple[int, ...]
    """Cards in each packet, in the order in which they lie on the table."""


@value_class()
class Choose:
    """Take one of the packets that are left."""

    packet: int
    """0-based, in the order of the cut."""


Action: TypeAlias = Play | Pass | Call | Believe | Decline | Cut | Choose

PASS = Pass()
CALL = Call()
BELIEVE = Believe()
DECLINE = Decline()
