"""What viewers are told, as values. Who is told which of them, and what is in them, is decided in `views` alone."""

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
    """As claimed."""
    emptied: bool
    to_move: Seat | None
    laid: int | None
    """How many cards were laid; None where the ruleset hides it."""
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
    """How many cards the taker took; None where the ruleset hides it."""
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
    """The believer of a lie; None if the pile was banished."""
    pile_size: int | None
    """How many cards were taken or banished; None where the ruleset hides it."""
    to_move: Seat | None


@value_class()
class HandCheckedView:
    """Public: an emptied hand was checked; whatever the check of calls, nobody is shown a card."""

    seat: Seat
    is_true: bool
    taken: int | None
    """How many cards a liar took, 0 if it did not lie; None where the ruleset hides it."""


@value_class()
class PileBanishedView:
    """Public: the pile is out of the game."""

    card_count: int | None
    """None where the ruleset hides it."""


@value_class()
class SeatLeftView:
    """Public: a seat is gone."""

    seat: Seat
    card_count: int | None
    """How many cards went under the pile; None where the ruleset hides it."""
    place: int
    to_move: Seat | None


@value_class()
class HandDealt:
    """Private: a seat's own hand."""

    hand: Hand


@value_class()
class CardsLaid:
    """Private: what a seat laid itself, which it did not choose if the move was automatic."""

    cards: bytes


@value_class()
class CardsShown:
    """Private: the cards of the last move, shown to its caller or believer alone."""

    cards: bytes


@value_class()
class CardsTaken:
    """Private: what a seat took from the pile, without order or former owners."""

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
"""What everybody sees of an event; the last seven are events without a secret."""

PrivatePart: TypeAlias = HandDealt | CardsLaid | CardsShown | CardsTaken | Overruled
"""What one seat learns besides."""


@value_class()
class LayerView:
    """A layer of the pile as one viewer knows it."""

    seat: Seat | None
    """Who laid it; None in a position set up by hand."""
    rank: int | None
    """As claimed; None for cards that a leaving seat left."""
    count: int | None
    """As claimed; of a leaver's cards their number, None where the ruleset hides it."""
    laid: int | None
    """How many cards it has; None where the ruleset hides it and the viewer does not see them."""
    cards: bytes | None
    """The viewer's own cards and those that lie face up, ascending; None for everybody else's."""


@value_class()
class PacketView:
    """A packet of the deck that is being cut and chosen from."""

    size: int
    taker: Seat | None
    """Who has chosen it."""


@value_class()
class CheatSnapshot:
    """All that one viewer may know of a state."""

    hand: Hand | None
    """The viewer's own; None for a spectator."""
    hand_sizes: tuple[int | None, ...]
    """By seat; where the ruleset hides sizes, None for every other hand that is not empty."""
    pile: tuple[LayerView, ...]
    """From the bottom up."""
    banished: int | None
    """How many cards are out of the game; None where the ruleset hides it."""
    to_move: Seat | None
    prev: Claim | None
    """The claim to follow."""
    trick_start: bool
    """The next card move starts a trick."""
    required_rank: int | None
    """The rank that comes next; None where there is no rotation."""
    last: Claim | None
    """The move that may be called."""
    passed: tuple[Seat, ...]
    places: tuple[int, ...]
    """By seat, 0 for none yet."""
    landed: int
    """Card moves and passes so far."""
    dealer: Seat
    packets: tuple[PacketView, ...]
    """While the hands are chosen: the packets, in the order of the cut."""
