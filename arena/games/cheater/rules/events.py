"""The events of a game. They hide nothing; `views` alone decides who may see which part of an event.

A turn begins with a `Rolled`. It ends with the next `Rolled` or with the game.
"""

from typing import NamedTuple, TypeAlias

from arena.games.cheater.rules.actions import Attack
from arena.games.cheater.rules.state import Title
from arena.match.game import Seat
from arena.match.value_class import value_class


@value_class()
class Dealt:
    """Every seat has its hand, and the first card is turned up."""

    hands: tuple[bytes, ...]
    top: int
    """The card that begins the discard pile."""
    draw_count: int
    """Number of cards in the draw pile."""


class StartRoll(NamedTuple):
    """One seat's roll for who begins."""

    seat: Seat
    dice: tuple[int, int]


@value_class()
class StartRolled:
    """All seats, or those that were tied, rolled dice to decide which seat begins."""

    rolls: tuple[StartRoll, ...]
    """In the order of seats."""
    first: Seat | None
    """The seat that begins; None if several seats are tied for the highest sum and roll again."""


@value_class()
class Rolled:
    """A turn begins with its dice."""

    seat: Seat
    dice: tuple[int, int]
    cheater: Seat | None
    """The seat with the marker; None if the marker lies in the centre."""
    is_lost: bool
    """Whether the CHEATER rolled a double and lost its turn."""


@value_class()
class Drew:
    """A seat drew from the draw pile."""

    seat: Seat
    cards: bytes
    """In the order drawn."""


@value_class()
class TookTop:
    """The CHEATER took the top card of the discard pile."""

    seat: Seat
    card: int


@value_class()
class Discarded:
    """A seat discarded cards of its own."""

    seat: Seat
    cards: bytes
    """In the order laid, the last one on top."""


@value_class()
class Attacked:
    """The seat in turn attacks another."""

    seat: Seat
    target: Seat
    attack: Attack
    card: int | None
    """The card laid for the attack, possibly a WILD; None with power 3."""


@value_class()
class Hidden:
    """The victim hid its hand, so the attack has failed."""

    seat: Seat
    card: int
    """A HIDE, or a WILD played as a HIDE."""


@value_class()
class HandShown:
    """The victim shows its hand to everybody."""

    seat: Seat
    cards: bytes
    """Ascending codes."""


@value_class()
class DieRolled:
    """The die of a BUST, 1 to 6."""

    value: int


@value_class()
class Taken:
    """The attacker took a card of the victim's hand."""

    seat: Seat
    target: Seat
    card: int


@value_class()
class Busted:
    """The attacker discarded cards of the victim's hand."""

    seat: Seat
    target: Seat
    cards: bytes
    """In the order laid; may be empty."""


@value_class()
class Reshuffled:
    """All discards but the top one became the new draw pile."""

    draw_count: int


@value_class()
class SeatLeft:
    """A seat left; its cards go into the draw pile."""

    seat: Seat
    cards: bytes
    place: int
    cheater: Seat | None
    """The seat with the marker after the leave."""


@value_class()
class Won:
    """The game is won."""

    seat: Seat
    color: int | None
    """The colour of the winning hand, 0 to 3; None if the seat won because all others had left."""
    titles: tuple[Title, ...]


@value_class()
class Stopped:
    """The game reached `max_turns` without a winner."""


Event: TypeAlias = (
    Dealt
    | StartRolled
    | Rolled
    | Drew
    | TookTop
    | Discarded
    | Attacked
    | Hidden
    | HandShown
    | DieRolled
    | Taken
    | Busted
    | Reshuffled
    | SeatLeft
    | Won
    | Stopped
)
