"""Decides who may know what (spec B6). No other module decides this: a field is hidden unless this module shows it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from arena.games.cheater.rules.events import (
    Attacked,
    Busted,
    Dealt,
    DieRolled,
    Discarded,
    Drew,
    Event,
    HandShown,
    Hidden,
    Reshuffled,
    Rolled,
    SeatLeft,
    StartRolled,
    Stopped,
    Taken,
    TookTop,
    Won,
)
from arena.games.cheater.rules.state import PendingAttack, Phase, State
from arena.match.game import RedactedEvent, Seat
from arena.match.value_class import value_class


@value_class()
class DealtView:
    """Public: the hands are dealt, and the first card is turned up."""

    seat_count: int
    top: int
    draw_count: int


@value_class()
class DrewView:
    """Public: a seat drew."""

    seat: Seat
    count: int


@value_class()
class SeatLeftView:
    """Public: a seat left."""

    seat: Seat
    card_count: int
    """Number of cards that went into the draw pile."""
    place: int
    cheater: Seat | None


@value_class()
class HandDealt:
    """Private: a seat's own hand."""

    cards: bytes
    """Ascending codes."""


@value_class()
class CardsDrawn:
    """Private: the cards that a seat drew."""

    cards: bytes
    """In the order drawn."""


PublicPart: TypeAlias = (
    DealtView
    | DrewView
    | SeatLeftView
    | StartRolled
    | Rolled
    | TookTop
    | Discarded
    | Attacked
    | Hidden
    | HandShown
    | DieRolled
    | Taken
    | Busted
    | Reshuffled
    | Won
    | Stopped
)
"""The part of an event that everybody sees. All types after the first three are events without secrets."""

PrivatePart: TypeAlias = HandDealt | CardsDrawn
"""The part of an event that only one seat sees."""

PUBLIC_EVENTS: Mapping[type, tuple[str, ...]] = {
    StartRolled: ("rolls", "first"),
    Rolled: ("seat", "dice", "cheater", "is_lost"),
    TookTop: ("seat", "card"),
    Discarded: ("seat", "cards"),
    Attacked: ("seat", "target", "attack", "card"),
    Hidden: ("seat", "card"),
    HandShown: ("seat", "cards"),
    DieRolled: ("value",),
    Taken: ("seat", "target", "card"),
    Busted: ("seat", "target", "cards"),
    Reshuffled: ("draw_count",),
    Won: ("seat", "color", "titles"),
    Stopped: (),
}
"""The events that are public as a whole, with their fields.

A test fails if such an event gets a field that is not listed here. So no field becomes public by accident.
"""

_NO_PRIVATE_PARTS: Mapping[Seat, tuple[PrivatePart, ...]] = MappingProxyType({})


def redact(event: Event) -> RedactedEvent:
    return _REDACTIONS[type(event)](event)


def _redact_public(event: Any) -> RedactedEvent:
    return RedactedEvent(event, _NO_PRIVATE_PARTS)


def _redact_dealt(event: Dealt) -> RedactedEvent:
    private = {Seat(seat): (HandDealt(hand),) for seat, hand in enumerate(event.hands)}
    return RedactedEvent(DealtView(len(event.hands), event.top, event.draw_count), private)


def _redact_drew(event: Drew) -> RedactedEvent:
    return RedactedEvent(DrewView(event.seat, len(event.cards)), {event.seat: (CardsDrawn(event.cards),)})


def _redact_left(event: SeatLeft) -> RedactedEvent:
    return RedactedEvent(SeatLeftView(event.seat, len(event.cards), event.place, event.cheater), _NO_PRIVATE_PARTS)


_REDACTIONS: Mapping[type, Callable[[Any], RedactedEvent]] = {
    Dealt: _redact_dealt,
    Drew: _redact_drew,
    SeatLeft: _redact_left,
    **dict.fromkeys(PUBLIC_EVENTS, _redact_public),
}


@value_class()
class CheaterSnapshot:
    """Everything that one viewer may know of a state."""

    hand: bytes | None
    """The viewer's own hand, as ascending codes; None for a spectator."""
    hand_sizes: tuple[int, ...]
    known: tuple[bytes, ...]
    """The cards of each hand that all seats know, because they were shown or taken openly; ascending codes."""
    draw_count: int
    discards: bytes
    """The whole discard pile, the top card last."""
    to_move: Seat | None
    """The seat in turn; None before the first turn and when the game is over."""
    cheater: Seat | None
    """The seat with the marker; None if the marker lies in the centre."""
    phase: Phase
    dice: tuple[int, ...]
    """Dice of this turn; empty before the roll."""
    attacking: PendingAttack | None
    die: int
    """Die of a BUST, 1 to 6; 0 before it is rolled."""
    places: tuple[int, ...]
    """The place of each seat; 0 if the seat has no place yet."""
    turns: int
    """Number of turns that have ended."""


def snapshot(state: State, viewer: Seat | None) -> CheaterSnapshot:
    return CheaterSnapshot(
        hand=None if viewer is None else state.hands[viewer],
        hand_sizes=tuple(map(len, state.hands)),
        known=state.known,
        draw_count=len(state.draw_pile),
        discards=state.discards,
        to_move=state.to_move,
        cheater=state.cheater,
        phase=state.phase,
        dice=state.dice,
        attacking=state.attacking,
        die=state.die,
        places=state.places,
        turns=state.turns,
    )
