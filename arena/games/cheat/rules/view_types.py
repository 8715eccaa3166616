"""The parts of events and states that viewers receive. `views` alone decides who receives what."""

from typing import TypeAlias

from arena.games.cheat.rules.cards import Hand
from arena.games.cheat.rules.events import (
    DeckCut,
    FinalWindowOpened,
    Overruled,
    PacketChosen,
    Passed,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)
from arena.games.cheat.rules.state import Claim
from arena.match.game import Seat
from arena.match.value_class import value_class


@value_class()
class DealtView:
    """Public: the hands are dealt."""

    sizes: tuple[int, ...] | None
    """Number of cards in each hand, by seat; None if the ruleset hides these numbers."""
    first: Seat
    dealer: Seat


@value_class()
class PlayedView:
    """Public: a card move landed."""

    seat: Seat
    rank: int
    count: int
    """Number of cards claimed."""
    emptied: bool
    to_move: Seat | None
    laid: int | None
    """Number of cards laid; None if the ruleset hides it."""
    cards: bytes | None
    """The cards, if they lie face up; otherwise None."""


@value_class()
class CalledView:
    """Public: a call was judged."""

    caller: Seat
    accused: Seat
    right: bool
    cards: bytes | None
    """The called cards, if the check shows them to everybody."""
    rest: Hand | None
    """The rest of the pile, if the check shows it to everybody."""
    taker: Seat
    taken: int | None
    """Number of cards taken; None if the ruleset hides it."""
    to_move: Seat | None


@value_class()
class BelievedView:
    """Public: a belief was judged."""

    believer: Seat
    mover: Seat
    right: bool
    cards: bytes | None
    """The believed cards, if the check shows them to everybody."""
    rest: Hand | None
    """The rest of the pile, if the check shows it to everybody."""
    taker: Seat | None
    """The believer, if the move was a lie; None if the pile was banished."""
    pile_size: int | None
    """Number of cards taken or banished; None if the ruleset hides it."""
    to_move: Seat | None


@value_class()
class HandCheckedView:
    """Public: an emptied hand was checked. The cards of the last move are not shown, whatever `check` says."""

    seat: Seat
    is_true: bool
    taken: int | None
    """Number of cards taken: 0 if the move was true; None if the ruleset hides the number."""


@value_class()
class PileBanishedView:
    """Public: the pile was removed from the game."""

    card_count: int | None
    """Number of cards banished; None if the ruleset hides it."""


@value_class()
class SeatLeftView:
    """Public: a seat left."""

    seat: Seat
    card_count: int | None
    """Number of cards that went under the pile; None if the ruleset hides it."""
    place: int
    to_move: Seat | None


@value_class()
class HandDealt:
    """Private: a seat's own hand."""

    hand: Hand


@value_class()
class CardsLaid:
    """Private: the cards that a seat laid.

    The seat needs this after an automatic move, because it did not choose the cards of that move.
    """

    cards: bytes


@value_class()
class CardsShown:
    """Private: the cards of the last move, shown only to its caller or believer."""

    cards: bytes


@value_class()
class CardsTaken:
    """Private: the cards that a seat took from the pile, without their order or owners."""

    cards: Hand


PublicPart: TypeAlias = (
    DealtView
    | PlayedView
    | CalledView
    | BelievedView
    | HandCheckedView
    | PileBanishedView
    | SeatLeftView
    | DeckCut
    | PacketChosen
    | Passed
    | TrickEnded
    | WindowClosed
    | FinalWindowOpened
    | SeatPlaced
)
"""The part of an event that everybody sees. The last seven types are events without secrets."""

PrivatePart: TypeAlias = HandDealt | CardsLaid | CardsShown | CardsTaken | Overruled
"""The part of an event that only one seat sees."""


@value_class()
class LayerView:
    """A layer of the pile as one viewer knows it."""

    seat: Seat | None
    """The seat that laid the cards, or that held them when it left. None in a position set up by hand."""
    rank: int | None
    """The claimed rank; None for the cards of a seat that left."""
    count: int | None
    """The claimed number. For the cards of a seat that left, it is their number, or None if the ruleset hides this."""
    laid: int | None
    """Number of cards. If the ruleset hides this number, it is None, unless the viewer sees the cards."""
    cards: bytes | None
    """The cards, ascending, if they came from the viewer's hand or lie face up; otherwise None."""


@value_class()
class PacketView:
    """A packet of the cut deck."""

    size: int
    taker: Seat | None
    """The seat that has chosen the packet; None if the packet is still free."""


@value_class()
class CheatSnapshot:
    """Everything that one viewer may know of a state."""

    hand: Hand | None
    """The viewer's own hand; None for a spectator."""
    hand_sizes: tuple[int | None, ...]
    """By seat. If the ruleset hides sizes, all are None, except for empty hands and the viewer's own hand."""
    pile: tuple[LayerView, ...]
    """From the bottom up."""
    banished: int | None
    """Number of cards out of the game; None if the ruleset hides it."""
    to_move: Seat | None
    prev: Claim | None
    """The claim that the next claim must follow; None when a trick is about to start."""
    trick_start: bool
    """Whether the next card move starts a trick."""
    required_rank: int | None
    """The only rank that the next move may claim; None if the ruleset has no rotation."""
    last: Claim | None
    """The claim of the move that may be called; None if there is none."""
    passed: tuple[Seat, ...]
    places: tuple[int, ...]
    """The place of each seat; 0 if the seat has no place yet."""
    landed: int
    """Number of card moves and passes so far."""
    dealer: Seat
    packets: tuple[PacketView, ...]
    """The packets in the order of the cut, while seats choose them; otherwise empty."""
