"""Who may know what (spec A9). The only place of secrecy: a field is hidden from everybody until it is named here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from arena.rules.cheat.cards import Hand
from arena.rules.cheat.events import (
    Called,
    Dealt,
    Event,
    FinalWindowOpened,
    Overruled,
    Passed,
    Played,
    SeatLeft,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)
from arena.rules.cheat.ruleset import CheckMode
from arena.rules.cheat.state import Claim, Layer, State, layers
from arena.rules.game import Redacted, Seat


@dataclass(frozen=True, slots=True)
class DealtView:
    """Public: the hands are dealt."""

    sizes: tuple[int, ...]
    """Cards in each hand, by seat."""
    first: Seat


@dataclass(frozen=True, slots=True)
class PlayedView:
    """Public: a card move landed."""

    seat: Seat
    rank: int
    count: int
    """As claimed."""
    emptied: bool
    to_move: Seat | None


@dataclass(frozen=True, slots=True)
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
    taken: int
    """How many cards the taker took."""
    to_move: Seat | None


@dataclass(frozen=True, slots=True)
class SeatLeftView:
    """Public: a seat is gone."""

    seat: Seat
    card_count: int
    """How many cards went under the pile."""
    place: int
    to_move: Seat | None


@dataclass(frozen=True, slots=True)
class HandDealt:
    """Private: a seat's own hand."""

    hand: Hand


@dataclass(frozen=True, slots=True)
class CardsLaid:
    """Private: what a seat laid itself, which it did not choose if the move was automatic."""

    cards: bytes


@dataclass(frozen=True, slots=True)
class CardsShown:
    """Private: the called cards, shown to the caller alone."""

    cards: bytes


@dataclass(frozen=True, slots=True)
class CardsTaken:
    """Private: what a seat took from the pile, without order or former owners."""

    cards: Hand


PublicPart: TypeAlias = (
    DealtView
    | PlayedView
    | CalledView
    | SeatLeftView
    | Passed
    | TrickEnded
    | WindowClosed
    | FinalWindowOpened
    | SeatPlaced
)
"""What everybody sees of an event; the last five are events without a secret."""

PrivatePart: TypeAlias = HandDealt | CardsLaid | CardsShown | CardsTaken | Overruled
"""What one seat learns besides."""

PUBLIC_EVENTS: Mapping[type, tuple[str, ...]] = {
    Passed: ("seat", "to_move"),
    TrickEnded: ("leader",),
    WindowClosed: ("settled", "to_move"),
    FinalWindowOpened: ("mover",),
    SeatPlaced: ("seat", "place"),
}
"""Events that are public as they are, with the fields that were meant when this was decided."""

_NOTHING: Mapping[Seat, tuple[PrivatePart, ...]] = MappingProxyType({})


def redact(event: Event) -> Redacted:
    """Split an event by who may see what; the private parts of a seat are a tuple."""
    return _REDACTIONS[type(event)](event)


def _redact_public(event: Any) -> Redacted:
    return Redacted(event, _NOTHING)


def _redact_dealt(event: Dealt) -> Redacted:
    private = {Seat(seat): (HandDealt(hand),) for seat, hand in enumerate(event.hands)}
    return Redacted(DealtView(tuple(map(sum, event.hands)), event.first), private)


def _redact_played(event: Played) -> Redacted:
    public = PlayedView(event.seat, event.rank, event.count, event.emptied, event.to_move)
    return Redacted(public, {event.seat: (CardsLaid(event.cards),)})


def _redact_called(event: Called) -> Redacted:
    check = event.check
    public = CalledView(
        caller=event.caller,
        accused=event.accused,
        right=event.right,
        cards=event.cards if check in (CheckMode.PUBLIC, CheckMode.PUBLIC_PLUS) else None,
        rest=event.rest if check is CheckMode.PUBLIC_PLUS else None,
        taker=event.taker,
        taken=sum(event.taken),
        to_move=event.to_move,
    )
    private: dict[Seat, tuple[PrivatePart, ...]] = {event.taker: (CardsTaken(event.taken),)}
    if check is CheckMode.CALLER:
        private[event.caller] = (CardsShown(event.cards), *private.get(event.caller, ()))
    return Redacted(public, private)


def _redact_overruled(event: Overruled) -> Redacted:
    return Redacted(None, {event.seat: (event,)})


def _redact_left(event: SeatLeft) -> Redacted:
    return Redacted(SeatLeftView(event.seat, sum(event.cards), event.place, event.to_move), _NOTHING)


_REDACTIONS: Mapping[type, Callable[[Any], Redacted]] = {
    Dealt: _redact_dealt,
    Played: _redact_played,
    Called: _redact_called,
    Overruled: _redact_overruled,
    SeatLeft: _redact_left,
    **dict.fromkeys(PUBLIC_EVENTS, _redact_public),
}


@dataclass(frozen=True, slots=True)
class LayerView:
    """A layer of the pile as one viewer knows it."""

    seat: Seat | None
    """Who laid it; None in a position set up by hand."""
    rank: int | None
    """As claimed; None for cards that a leaving seat left."""
    count: int
    """As claimed; of a leaver's cards their number."""
    cards: bytes | None
    """The viewer's own cards, ascending; None for everybody else's."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that one viewer may know of a state."""

    hand: Hand | None
    """The viewer's own; None for a spectator."""
    hand_sizes: tuple[int, ...]
    pile: tuple[LayerView, ...]
    """From the bottom up."""
    to_move: Seat | None
    prev: Claim | None
    """The claim to follow."""
    trick_start: bool
    """The next card move starts a trick."""
    last: Claim | None
    """The move that may be called."""
    passed: tuple[Seat, ...]
    places: tuple[int, ...]
    """By seat, 0 for none yet."""
    landed: int
    """Card moves and passes so far."""


def snapshot(state: State, viewer: Seat | None) -> Snapshot:
    """Give all that the viewer (None: a spectator) may know."""
    return Snapshot(
        hand=None if viewer is None else state.hands[viewer],
        hand_sizes=state.sizes,
        pile=_pile_view(state, viewer),
        to_move=state.to_move,
        prev=state.prev,
        trick_start=state.prev is None,
        last=None if state.last is None else state.last.claim,
        passed=tuple(sorted(state.passed)),
        places=state.places,
        landed=state.landed,
    )


def _pile_view(state: State, viewer: Seat | None) -> tuple[LayerView, ...]:
    left = [
        LayerView(bottom.seat, None, len(bottom.cards), _own(bottom.seat, bottom.cards, viewer))
        for bottom in state.bottom
    ]
    return (*left, *(_layer_view(layer, viewer) for layer in reversed(list(layers(state)))))


def _layer_view(layer: Layer, viewer: Seat | None) -> LayerView:
    claim = layer.claim
    return LayerView(claim.seat, claim.rank, claim.count, _own(claim.seat, layer.cards, viewer))


def _own(owner: Seat | None, cards: bytes, viewer: Seat | None) -> bytes | None:
    return cards if viewer is not None and owner == viewer else None
