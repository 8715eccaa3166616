"""The parts of events and states that viewers receive. `views` alone decides who receives what."""

from typing import TypeAlias

from arena.rules.cheat.cards import Hand
from arena.rules.cheat.events import (
    DeckCut,
    FinalWindowOpened,
    Overruled,
    PacketChosen,
    Passed,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)
from arena.rules.cheat.state import Claim
from arena.rules.game import Seat
from arena.rules.value_class import value_class


@value_class()
class DealtView:
    """Public: the hands are dealt."""

    sizes: tuple[int, ...] | None
    """Cards in each hand, by seat; None where the ruleset hides them."""
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
    """Number of cards laid; None where the ruleset hides it."""
    cards: bytes | None
    """The cards themselves, if they lie face up."""


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
    """Number of cards taken; None where the ruleset hides it."""
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
    """Number of cards taken or banished; None where the ruleset hides it."""
    to_move: Seat | None


@value_class()
class HandCheckedView:
    """Public: an emptied hand was checked. The cards of its last move are not shown, whatever `check` says."""

    seat: Seat
    is_true: bool
    taken: int | None
    """Number of cards taken, 0 if the move was true; None where the ruleset hides it."""


@value_class()
class PileBanishedView:
    """Public: the pile was removed from the game."""

    card_count: int | None
    """None where the ruleset hides it."""


@value_class()
class SeatLeftView:
    """Public: a seat left."""

    seat: Seat
    card_count: int | None
    """Number of cards that went under the pile; None where the ruleset hides it."""
    place: int
    to_move: Seat | None


@value_class()
class HandDealt:
    """Private: a seat's own hand."""

    hand: Hand


@value_class()
class CardsLaid:
    """Private: the cards that a seat laid, for this seat itself. It does not choose the cards of an automatic move."""

    cards: bytes


@value_class()
class CardsShown:
    """Private: the cards of the last move, shown only to its caller or believer."""

    cards: bytes


@value_class()
class CardsTaken:
    """Private: the cards a seat took from the pile, without their order or owners."""

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
"""The part of an event that everybody sees; the last seven are events without secrets."""

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
    """The claimed number. For the cards of a seat that left: their number, or None where the ruleset hides it."""
    laid: int | None
    """Number of cards; None where the ruleset hides it and the viewer does not see the cards."""
    cards: bytes | None
    """The cards, ascending, if they are the viewer's own or lie face up; otherwise None."""


@value_class()
class PacketView:
    """A packet of the cut deck."""

    size: int
    taker: Seat | None
    """The seat that has chosen it, if any."""


@value_class()
class CheatSnapshot:
    """All that one viewer may know of a state."""

    hand: Hand | None
    """The viewer's own; None for a spectator."""
    hand_sizes: tuple[int | None, ...]
    """By seat. Where the ruleset hides sizes: None for each hand that is neither empty nor the viewer's own."""
    pile: tuple[LayerView, ...]
    """From the bottom up."""
    banished: int | None
    """Number of cards out of the game; None where the ruleset hides it."""
    to_move: Seat | None
    prev: Claim | None
    """The claim that the next claim must follow; None when a trick is about to start."""
    trick_start: bool
    """The next card move starts a trick."""
    required_rank: int | None
    """The rank to claim next; None without rotation."""
    last: Claim | None
    """The claim of the move that may be called; None if there is none."""
    passed: tuple[Seat, ...]
    places: tuple[int, ...]
    """By seat; 0 if the seat has no place yet."""
    landed: int
    """Card moves and passes so far."""
    dealer: Seat
    packets: tuple[PacketView, ...]
    """The packets in the order of the cut, while seats choose them; otherwise empty."""
