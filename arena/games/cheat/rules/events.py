"""The events of a game. They hide nothing; `views` alone decides who may see which part of an event.

`to_move` is the seat to move after the transition; None in a final window and when the game is over. Events carry the
options that `views` needs: `sizes_visible` if the event has numbers of cards, and `check` if it is a call or a belief.
"""

from typing import TypeAlias

from arena.games.cheat.rules.cards import Hand, hand_from_cards
from arena.games.cheat.rules.ruleset import CheckMode
from arena.match.game import Seat
from arena.match.value_class import value_class


@value_class()
class DeckCut:
    """The dealer has cut the deck."""

    dealer: Seat
    sizes: tuple[int, ...]
    """Number of cards in each packet."""


@value_class()
class PacketChosen:
    """A seat has chosen a packet."""

    seat: Seat
    packet: int
    """0-based, in the order of the cut."""


@value_class()
class Dealt:
    """Every seat has its hand and the first mover is known."""

    hands: tuple[Hand, ...]
    first: Seat
    dealer: Seat
    sizes_visible: bool


@value_class()
class Played:
    """A card move landed."""

    seat: Seat
    cards: bytes
    """Ascending codes."""
    rank: int
    count: int
    """Number of cards claimed."""
    emptied: bool
    """Whether the mover has no cards left."""
    to_move: Seat | None
    face_up: bool
    sizes_visible: bool


@value_class()
class Passed:
    """A pass landed."""

    seat: Seat
    to_move: Seat | None


@value_class()
class Called:
    """A call was judged and the loser took the whole pile."""

    caller: Seat
    accused: Seat
    right: bool
    """Whether the caller was right, which means that the move was a lie."""
    cards: bytes
    """The called cards, ascending."""
    check: CheckMode
    taker: Seat
    taken: Hand
    """The whole pile, the called cards included."""
    to_move: Seat | None
    sizes_visible: bool


@value_class()
class Believed:
    """A belief was judged. If the move was true, the pile was banished; if it was a lie, the believer took the pile."""

    believer: Seat
    mover: Seat
    right: bool
    """Whether the believer was right, which means that the move was true."""
    cards: bytes
    """The believed cards, ascending."""
    check: CheckMode
    pile: Hand
    """The whole pile, the believed cards included."""
    to_move: Seat | None
    sizes_visible: bool


@value_class()
class HandChecked:
    """An emptied hand was checked. If the seat's last move was a lie, the seat took the whole pile."""

    seat: Seat
    is_true: bool
    """Whether the seat's last move was true."""
    pile: Hand
    """The whole pile."""
    sizes_visible: bool


@value_class()
class Overruled:
    """In a sealed window, this seat called or believed the move, but the answer of a nearer seat counted instead.

    The nearer seat is the first one clockwise from the mover that called or believed. Only the overruled seat sees this
    event.
    """

    seat: Seat


@value_class()
class TrickEnded:
    """The trick is over; `leader` leads the next one."""

    leader: Seat


@value_class()
class PileBanished:
    """The pile of the finished trick is out of the game."""

    cards: Hand
    sizes_visible: bool


@value_class()
class WindowClosed:
    """A window ended without a call."""

    settled: bool
    """Whether the move is safe now."""
    to_move: Seat | None


@value_class()
class FinalWindowOpened:
    """The open window on this mover's move is final: no turn follows it unless somebody calls or leaves."""

    mover: Seat


@value_class()
class SeatPlaced:
    """A seat that did not leave gets its final place."""

    seat: Seat
    place: int
    """1 is best."""


@value_class()
class SeatLeft:
    """A seat left; its cards went under the pile."""

    seat: Seat
    cards: Hand
    place: int
    to_move: Seat | None
    sizes_visible: bool


Event: TypeAlias = (
    DeckCut
    | PacketChosen
    | Dealt
    | Played
    | Passed
    | Called
    | Believed
    | HandChecked
    | Overruled
    | TrickEnded
    | PileBanished
    | WindowClosed
    | FinalWindowOpened
    | SeatPlaced
    | SeatLeft
)


def pile_without(pile: Hand, cards: bytes) -> Hand:
    """Return the pile minus the cards that were shown."""
    return tuple(map(int.__sub__, pile, hand_from_cards(cards)))
