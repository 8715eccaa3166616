"""The actions of a seat, as plain values. `legality` decides whether they are legal."""

from typing import TypeAlias

from arena.match.value_class import value_class


@value_class()
class Play:
    """Lay cards and claim what they are. The cards lie face down, except in a face-up opening."""

    cards: bytes
    """Codes of the cards laid, ascending; may be empty. Secret."""
    count: int
    """Number of cards claimed."""
    rank: int
    """The claimed rank, 0 (ace) to 12 (king)."""


@value_class()
class Pass:
    """Give up the turn. Only some rulesets allow this."""


@value_class()
class Call:
    """Say that the last move is a lie."""


@value_class()
class Believe:
    """Say that the last move is true. Only some rulesets allow this."""


@value_class()
class Decline:
    """Neither call nor believe the last move."""


@value_class()
class Cut:
    """Cut the deck into packets. Only the dealer does this."""

    sizes: tuple[int, ...]
    """Number of cards in each packet, from the start of the deck."""


@value_class()
class Choose:
    """Take one of the remaining packets."""

    packet: int
    """The packet's index in the order of the cut, from 0."""


Action: TypeAlias = Play | Pass | Call | Believe | Decline | Cut | Choose

PASS = Pass()
CALL = Call()
BELIEVE = Believe()
DECLINE = Decline()
