"""What a seat can do. Plain values; whether they are legal is another module's question (spec B3, A12.10)."""

from enum import Enum
from typing import TypeAlias

from arena.rules.game import Seat
from arena.rules.value_class import value_class


class Attack(Enum):
    """What is done to another seat."""

    TAKE = "take"
    """See its hand and take a card."""
    SHOW = "show"
    """See its hand."""
    BUST = "bust"
    """See its hand, roll a die, and discard up to so many of its cards."""
    DEMAND = "demand"
    """Power 3 of the CHEATER: see its hand, take a card, discard one."""


@value_class()
class Draw:
    """Draw a card; then one is discarded."""


@value_class()
class DrawTwo:
    """Power 1 of the CHEATER: draw two cards; then two are discarded."""


@value_class()
class TakeTop:
    """Power 2 of the CHEATER: take the top card of the discard pile; then one is discarded."""


@value_class()
class Demand:
    """Power 3 of the CHEATER: demand to see a seat's hand, to take one of its cards."""

    target: Seat


@value_class()
class Play:
    """Play an action card at another seat."""

    card: int
    target: Seat
    wild_as: Attack | None = None
    """What a WILD stands for; None with every other card."""


@value_class()
class Idle:
    """Draw a card and discard it again: the move made for a seat that does not answer (spec B6)."""


@value_class()
class Discard:
    """Discard what a hand has above seven."""

    cards: bytes
    """In the order in which they are laid; the last one lies on top."""


@value_class()
class Allow:
    """Let the attacker see the hand."""


@value_class()
class Hide:
    """Lay a HIDE, or a WILD as one, against an attack."""

    card: int


@value_class()
class Take:
    """Take this card of the hand that is shown."""

    card: int
    discard: int | None = None
    """Power 3: the card discarded for it, which may be the same. None with TAKE."""


@value_class()
class Bust:
    """Discard these cards of the hand that is shown."""

    cards: bytes
    """In the order in which they are laid; may be empty."""


Action: TypeAlias = Draw | DrawTwo | TakeTop | Demand | Play | Idle | Discard | Allow | Hide | Take | Bust

DRAW = Draw()
DRAW_TWO = DrawTwo()
TAKE_TOP = TakeTop()
IDLE = Idle()
ALLOW = Allow()
