"""Decides who may know what (spec A9). No other module decides this: a field is hidden unless this module shows it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from arena.games.cheat.rules.cards import Hand
from arena.games.cheat.rules.events import (
    Believed,
    Called,
    Dealt,
    DeckCut,
    Event,
    FinalWindowOpened,
    HandChecked,
    Overruled,
    PacketChosen,
    Passed,
    PileBanished,
    Played,
    SeatLeft,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
    pile_without,
)
from arena.games.cheat.rules.ruleset import CheckMode
from arena.games.cheat.rules.state import BEFORE_PLAY, State
from arena.games.cheat.rules.tricks import pile_layers
from arena.games.cheat.rules.view_types import (
    BelievedView,
    CalledView,
    CardsLaid,
    CardsShown,
    CardsTaken,
    CheatSnapshot,
    DealtView,
    HandCheckedView,
    HandDealt,
    LayerView,
    PacketView,
    PileBanishedView,
    PlayedView,
    PrivatePart,
    SeatLeftView,
)
from arena.match.game import RedactedEvent, Seat

PUBLIC_EVENTS: Mapping[type, tuple[str, ...]] = {
    DeckCut: ("dealer", "sizes"),
    PacketChosen: ("seat", "packet"),
    Passed: ("seat", "to_move"),
    TrickEnded: ("leader",),
    WindowClosed: ("settled", "to_move"),
    FinalWindowOpened: ("mover",),
    SeatPlaced: ("seat", "place"),
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
    sizes = tuple(map(sum, event.hands)) if event.sizes_visible else None
    return RedactedEvent(DealtView(sizes, event.first, event.dealer), private)


def _redact_played(event: Played) -> RedactedEvent:
    """Redact a move. If the cards lie face up, they and their number are public."""
    cards = event.cards
    laid = len(cards) if event.sizes_visible or event.face_up else None
    shown = cards if event.face_up else None
    public = PlayedView(event.seat, event.rank, event.count, event.emptied, event.to_move, laid, shown)
    return RedactedEvent(public, {event.seat: (CardsLaid(cards),)})


def _redact_called(event: Called) -> RedactedEvent:
    public = CalledView(
        caller=event.caller,
        accused=event.accused,
        right=event.right,
        cards=_shown_cards(event.check, event.cards),
        rest=_shown_rest(event.check, event.taken, event.cards),
        taker=event.taker,
        taken=sum(event.taken) if event.sizes_visible else None,
        to_move=event.to_move,
    )
    return RedactedEvent(public, _reveal_parts(event.check, event.caller, event.cards, event.taker, event.taken))


def _redact_believed(event: Believed) -> RedactedEvent:
    taker = None if event.right else event.believer
    public = BelievedView(
        believer=event.believer,
        mover=event.mover,
        right=event.right,
        cards=_shown_cards(event.check, event.cards),
        rest=_shown_rest(event.check, event.pile, event.cards),
        taker=taker,
        pile_size=sum(event.pile) if event.sizes_visible else None,
        to_move=event.to_move,
    )
    return RedactedEvent(public, _reveal_parts(event.check, event.believer, event.cards, taker, event.pile))


def _shown_cards(check: CheckMode, cards: bytes) -> bytes | None:
    """Return the cards of the last move if the check shows them to everybody."""
    return cards if check in (CheckMode.PUBLIC, CheckMode.PUBLIC_PLUS) else None


def _shown_rest(check: CheckMode, pile: Hand, cards: bytes) -> Hand | None:
    return pile_without(pile, cards) if check is CheckMode.PUBLIC_PLUS else None


def _reveal_parts(
    check: CheckMode, caller: Seat, cards: bytes, taker: Seat | None, pile: Hand
) -> Mapping[Seat, tuple[PrivatePart, ...]]:
    """Return the private parts of a verdict: the cards shown to the caller, and the pile for the seat that took it."""
    private: dict[Seat, tuple[PrivatePart, ...]] = {} if taker is None else {taker: (CardsTaken(pile),)}
    if check is CheckMode.CALLER:
        private[caller] = (CardsShown(cards), *private.get(caller, ()))
    return private


def _redact_checked(event: HandChecked) -> RedactedEvent:
    taken = 0 if event.is_true else sum(event.pile) if event.sizes_visible else None
    private = {} if event.is_true else {event.seat: (CardsTaken(event.pile),)}
    return RedactedEvent(HandCheckedView(event.seat, event.is_true, taken), private)


def _redact_overruled(event: Overruled) -> RedactedEvent:
    return RedactedEvent(None, {event.seat: (event,)})


def _redact_banished(event: PileBanished) -> RedactedEvent:
    return RedactedEvent(PileBanishedView(sum(event.cards) if event.sizes_visible else None), _NO_PRIVATE_PARTS)


def _redact_left(event: SeatLeft) -> RedactedEvent:
    card_count = sum(event.cards) if event.sizes_visible else None
    return RedactedEvent(SeatLeftView(event.seat, card_count, event.place, event.to_move), _NO_PRIVATE_PARTS)


_REDACTIONS: Mapping[type, Callable[[Any], RedactedEvent]] = {
    Dealt: _redact_dealt,
    Played: _redact_played,
    Called: _redact_called,
    Believed: _redact_believed,
    HandChecked: _redact_checked,
    PileBanished: _redact_banished,
    Overruled: _redact_overruled,
    SeatLeft: _redact_left,
    **dict.fromkeys(PUBLIC_EVENTS, _redact_public),
}


def snapshot(state: State, viewer: Seat | None) -> CheatSnapshot:
    compiled = state.compiled_rules
    return CheatSnapshot(
        hand=None if viewer is None else state.hands[viewer],
        hand_sizes=_sizes_view(state, viewer),
        pile=_pile_view(state, viewer),
        banished=sum(state.banished) if compiled.rules.sizes_visible else None,
        to_move=state.to_move,
        prev=state.prev,
        trick_start=state.prev is None,
        required_rank=state.required_rank if compiled.rotates else None,
        last=None if state.last is None else state.last.claim,
        passed=tuple(sorted(state.passed)),
        places=state.places,
        landed=state.landed,
        dealer=state.dealer,
        packets=() if state.packets is None else tuple(map(PacketView, state.packets.sizes, state.packets.takers)),
    )


def _sizes_view(state: State, viewer: Seat | None) -> tuple[int | None, ...]:
    """Return the hand sizes that the viewer may know. Whether a hand is empty is always public."""
    if state.compiled_rules.rules.sizes_visible or state.phase in BEFORE_PLAY:
        return state.sizes
    return tuple([size if size == 0 or seat == viewer else None for seat, size in enumerate(state.sizes)])


def _pile_view(state: State, viewer: Seat | None) -> tuple[LayerView, ...]:
    """Return the pile from the bottom up, with the cards that the viewer laid and those that lie face up."""
    visible = state.compiled_rules.rules.sizes_visible
    views = []
    for owner, cards in state.bottom:
        shown = cards if viewer is not None and owner == viewer else None
        count = len(cards) if visible or shown is not None else None
        views.append(LayerView(owner, None, count, count, shown))
    for layer in reversed(list(pile_layers(state))):
        claim = layer.claim
        shown = layer.cards if layer.face_up or (viewer is not None and claim.seat == viewer) else None
        laid = len(layer.cards) if visible or shown is not None else None
        views.append(LayerView(claim.seat, claim.rank, claim.count, laid, shown))
    return tuple(views)
