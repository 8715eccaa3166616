"""The actions of a seat, as plain values (spec B3, A12.10). `legality` decides whether they are legal."""

from enum import Enum
from typing import TypeAlias

from arena.match.game import Seat
from arena.match.value_class import value_class


class Attack(Enum):
    """What an attack does to another seat."""

    TAKE = "take"
    """See the other seat's hand and take a card from it."""
    SHOW = "show"
    """See the other seat's hand."""
    BUST = "bust"
    """See the other seat's hand, roll a die, and discard at most as many cards of that hand as the die shows."""
    DEMAND = "demand"
    """Power 3 of the CHEATER: see the other seat's hand, take a card from it, then discard a card."""


@value_class()
class Draw:
    """Draw a card, then discard one."""


@value_class()
class DrawTwo:
    """Power 1 of the CHEATER: draw two cards, then discard two."""


@value_class()
class TakeTop:
    """Power 2 of the CHEATER: take the top card of the discard pile, then discard one."""


@value_class()
class Demand:
    """Power 3 of the CHEATER: demand to see a seat's hand and take one of its cards."""

    target: Seat


@value_class()
class Play:
    """Play an action card at another seat."""

    card: int
    target: Seat
    wild_as: Attack | None = None
    """What a WILD stands for; None for every other card."""


@value_class()
class Idle:
    """Draw a card and discard it again: the automatic action of a seat that does not answer (spec B6)."""


@value_class()
class Discard:
    """Discard as many cards as the hand has above seven."""

    cards: bytes
    """In the order laid; the last one lies on top."""


@value_class()
class Allow:
    """Let the attacker see the hand."""


@value_class()
class Hide:
    """Answer an attack with a HIDE, or with a WILD played as a HIDE."""

    card: int


@value_class()
class Take:
    """Take this card from the shown hand."""

    card: int
    discard: int | None = None
    """The card to discard after power 3, possibly the card just taken. None after a TAKE."""


@value_class()
class Bust:
    """Discard these cards from the shown hand."""

    cards: bytes
    """In the order laid; may be empty."""


Action: TypeAlias = Draw | DrawTwo | TakeTop | Demand | Play | Idle | Discard | Allow | Hide | Take | Bust

DRAW = Draw()
DRAW_TWO = DrawTwo()
TAKE_TOP = TakeTop()
IDLE = Idle()
ALLOW = Allow()
