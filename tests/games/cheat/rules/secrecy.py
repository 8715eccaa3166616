"""Checks that a viewer sees no difference when something changes that it may not know (spec A9)."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from arena.games.cheat.rules.cards import EMPTY_HAND, Hand, cards_from_hand, hand_from_cards, merge_hands, without_cards
from arena.games.cheat.rules.events import (
    Believed,
    Called,
    Dealt,
    Event,
    HandChecked,
    Overruled,
    PileBanished,
    Played,
    SeatLeft,
)
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.ruleset import CheckMode
from arena.games.cheat.rules.state import Layer, State
from arena.games.cheat.rules.tricks import pile_layers
from arena.games.cheat.rules.view_types import CardsLaid, CardsShown, CardsTaken, HandDealt, SeatLeftView
from arena.match.game import Seat

OTHER_CARDS = bytes(range(0, 52, 5))
"""Cards that replace hidden ones."""


def check_views(state: State, random: Random) -> None:
    """Check for each viewer: a state that differs in everything it may not know looks the same to it."""
    for viewer in (*map(Seat, range(len(state.hands))), None):
        other = twin(state, viewer, random)
        assert CHEAT.snapshot(other, viewer) == CHEAT.snapshot(state, viewer)
        assert visible_questions(other, viewer) == visible_questions(state, viewer)


def visible_questions(state: State, viewer: Seat | None) -> list[Any]:
    """Return what a viewer knows of the open questions: its own in full, and that the others exist."""
    groups = CHEAT.open_groups(state)
    own = [[q for q in group.questions if q.seat == viewer] for group in groups]
    return [*own, *(replace(group, questions=()) for group in groups)]


def twin(state: State, viewer: Seat | None, random: Random) -> State:
    """Return the state with other cards in place of all that the viewer does not know.

    Where the number of cards is hidden too, it also differs.
    """
    hides = not state.compiled_rules.rules.sizes_visible
    other = state.draft()
    other.step = state.step
    other.hands = tuple(
        hand if seat == viewer or not any(hand) else some_hand(sum(hand), hides, random)
        for seat, hand in enumerate(state.hands)
    )
    other.sizes = tuple(map(sum, other.hands))
    pile: Layer | None = None
    for layer in reversed(list(pile_layers(state))):
        known = layer.face_up or layer.claim.seat == viewer
        lies = hides and state.compiled_rules.count_lies and layer.cards
        cards = layer.cards if known else some_cards(len(layer.cards), bool(lies), random)
        made = Layer(layer.claim, cards, pile, layer.face_up)
        other.last = made if layer is state.last else other.last
        pile = made
    other.pile = pile
    other.bottom = tuple(
        bottom if bottom.seat == viewer else bottom._replace(cards=some_cards(len(bottom.cards), hides, random))
        for bottom in state.bottom
    )
    other.banished = some_hand(sum(state.banished), hides, random)
    if state.packets is not None:
        other.packets = state.packets._replace(deck=bytes(random.sample(state.packets.deck, len(state.packets.deck))))
    return other


def some_cards(count: int, any_number: bool, random: Random) -> bytes:
    return bytes(sorted(random.choices(range(53), k=random.randint(1, 9) if any_number else count)))


def some_hand(count: int, any_number: bool, random: Random) -> Hand:
    return hand_from_cards(some_cards(count, any_number, random))


def hand_from_events(events: Sequence[Event], seat: Seat) -> Hand:
    """Return the hand that a seat can work out from its messages."""
    hand: Hand = EMPTY_HAND
    for event in events:
        public, private = CHEAT.redact(event)
        for part in private.get(seat, ()):
            if isinstance(part, HandDealt):
                hand = part.hand
            elif isinstance(part, CardsLaid):
                hand = without_cards(hand, part.cards)
            elif isinstance(part, CardsTaken):
                hand = merge_hands(hand, part.cards)
        if isinstance(public, SeatLeftView) and public.seat == seat:
            hand = EMPTY_HAND
    return hand


def check_secrecy(event: Event) -> None:
    """Check that private parts go only to seats of table A9, and that the public part depends on nothing hidden."""
    public, private = CHEAT.redact(event)
    for seat, parts in private.items():
        for part in parts:
            assert is_due(event, seat, part), (event, seat, part)
    assert CHEAT.redact(with_other_cards(event)).public == public


def is_due(event: Event, seat: Seat, part: Any) -> bool:
    """Return whether a seat must receive this private part."""
    match event, part:
        case Played(), CardsLaid(cards):
            return seat == event.seat and cards == event.cards
        case Called(), CardsTaken(cards):
            return seat == event.taker and cards == event.taken
        case Believed(), CardsTaken(cards):
            return seat == event.believer and not event.right and cards == event.pile
        case HandChecked(), CardsTaken(cards):
            return seat == event.seat and not event.is_true and cards == event.pile
        case Called() | Believed(), CardsShown(cards):
            caller = event.caller if isinstance(event, Called) else event.believer
            return (seat, event.check, cards) == (caller, CheckMode.CALLER, event.cards)
        case Dealt(), HandDealt(hand):
            return bool(hand == event.hands[seat])
        case _:
            return bool(part == Overruled(seat))


def with_other_cards(event: Event) -> Event:
    """Return the event with other cards in place of all that are not public.

    Where their number is public, it stays the same.
    """
    match event:
        case Played(face_up=False):
            return replace(event, cards=others(event.cards, event))
        case Called(check=CheckMode.ARBITER | CheckMode.CALLER):
            return replace(event, cards=b"", taken=hand_from_cards(others(cards_from_hand(event.taken), event)))
        case Called(check=CheckMode.PUBLIC):
            return replace(event, taken=hand_from_cards(others(cards_from_hand(event.taken), event)))
        case Believed(check=CheckMode.ARBITER | CheckMode.CALLER):
            return replace(event, cards=b"", pile=hand_from_cards(others(cards_from_hand(event.pile), event)))
        case Believed(check=CheckMode.PUBLIC):
            return replace(event, pile=hand_from_cards(others(cards_from_hand(event.pile), event)))
        case HandChecked():
            return replace(event, pile=hand_from_cards(others(cards_from_hand(event.pile), event)))
        case PileBanished() | SeatLeft():
            return replace(event, cards=hand_from_cards(others(cards_from_hand(event.cards), event)))
        case Dealt():
            return replace(
                event, hands=tuple(hand_from_cards(others(cards_from_hand(hand), event)) for hand in event.hands)
            )
        case _:
            return event


def others(cards: bytes, event: Any) -> bytes:
    return bytes(len(cards)) if event.sizes_visible else OTHER_CARDS
