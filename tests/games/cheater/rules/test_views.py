"""What each viewer may know, against spec B6."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import pytest

from arena.games.cheater.rules.actions import Attack
from arena.games.cheater.rules.cards import BUST, TAKE, card_texts
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
    StartRoll,
    StartRolled,
    Stopped,
    Taken,
    TookTop,
    Won,
)
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.state import PendingAttack, Phase, Title
from arena.games.cheater.rules.views import (
    PUBLIC_EVENTS,
    CardsDrawn,
    CheaterSnapshot,
    DealtView,
    DrewView,
    HandDealt,
    SeatLeftView,
)
from arena.match.game import Seat
from tests.games.cheater.rules.game_driver import YELLOW, cards, start_game

ZERO, ONE, TWO = Seat(0), Seat(1), Seat(2)

OPEN: list[Any] = [
    StartRolled((StartRoll(ZERO, (1, 2)), StartRoll(ONE, (3, 3))), ONE),
    Rolled(ONE, (3, 3), ONE, is_lost=False),
    TookTop(ONE, 3),
    Discarded(ONE, cards("RC YT")),
    Attacked(ONE, TWO, Attack.TAKE, TAKE),
    Hidden(TWO, BUST),
    HandShown(TWO, cards("RC YT")),
    DieRolled(6),
    Taken(ONE, TWO, 3),
    Busted(ONE, TWO, cards("RC")),
    Reshuffled(42),
    Won(ONE, 0, (Title.EXCELLENT,)),
    Stopped(),
]


@pytest.mark.parametrize("event", OPEN, ids=[type(event).__name__ for event in OPEN])
def test_events_without_a_secret_are_public_as_they_are(event: Any) -> None:
    """The test lists the exact fields behind that decision: a new field needs a new decision."""
    assert CHEATER.redact(event) == (event, {})
    assert tuple(field.name for field in fields(event)) == PUBLIC_EVENTS[type(event)]


def test_every_event_has_a_visibility_decision() -> None:
    secret = {Dealt, Drew, SeatLeft}

    assert set(PUBLIC_EVENTS) | secret == set(get_args(Event))
    assert {type(event) for event in OPEN} == set(PUBLIC_EVENTS)


def test_hand_is_dealt_to_its_own_seat_only() -> None:
    """The first discard and the number of cards left to draw are public."""
    hands = (cards("RC RH"), cards("YT TAKE"))

    public, private = CHEATER.redact(Dealt(hands, 3, 55))

    assert public == DealtView(2, 3, 55)
    assert private == {0: (HandDealt(hands[0]),), 1: (HandDealt(hands[1]),)}


def test_only_the_number_of_drawn_cards_is_public() -> None:
    """The seat itself learns which cards they are."""
    drawn = cards("YT RC")

    assert CHEATER.redact(Drew(ONE, drawn)) == (DrewView(ONE, 2), {1: (CardsDrawn(drawn),)})


def test_only_the_number_of_a_leavers_cards_is_public() -> None:
    """No viewer learns more."""
    assert CHEATER.redact(SeatLeft(ONE, cards("RC YT"), 4, TWO)) == (SeatLeftView(ONE, 2, 4, TWO), {})


# ---- snapshots


def test_seat_sees_its_own_hand_and_the_open_table() -> None:
    game = start_game(cheater=1).acts("0 play TAKE 1")

    assert CHEATER.snapshot(game.state, ZERO) == CheaterSnapshot(
        hand=cards("RC RH RE RA YT SHOW"),
        hand_sizes=(6, 7, 7),
        known=(b"", b"", b""),
        draw_count=10,
        discards=cards("BT TAKE"),
        to_move=ZERO,
        cheater=ONE,
        phase=Phase.REACTION,
        dice=(1, 2),
        attacking=PendingAttack(Attack.TAKE, ONE, TAKE),
        die=0,
        places=(0, 0, 0),
        turns=0,
    )


def test_spectator_sees_no_hand() -> None:
    seen = CHEATER.snapshot(start_game().state, None)

    assert seen.hand is None
    assert set(strings(seen)) & set(range(29)) == {cards("BT")[0]}, "the first discard alone"


def strings(value: Any) -> Iterator[int]:
    """Yield all card codes in a value."""
    if isinstance(value, bytes):
        yield from value
    elif is_dataclass(value):
        for field in fields(value):
            yield from strings(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from strings(item)


KNOWN: dict[str, tuple[dict[str, Any], str, tuple[str, str, str]]] = {
    "nothing at first": ({}, "", ("", "", "")),
    "a drawn card stays secret": ({}, "0 draw, 0 discard YT", ("", "", "")),
    "the top discard that was taken": ({"cheater": 0}, "0 top, 0 discard YT", ("BT", "", "")),
    "and no more once it is discarded": ({"cheater": 0}, "0 top, 0 discard BT", ("", "", "")),
    "a hand that was shown": ({}, "0 play SHOW 1, 1 allow", ("", YELLOW, "")),
    "without what was taken, which is known elsewhere": (
        {},
        "0 play TAKE 1, 1 allow, 0 take RT",
        ("RT", "YC YH YE YA BUST HIDE", ""),
    ),
    "without what was busted, and not what was drawn for it": (
        {"start": 1},
        "1 play BUST 0, 0 allow, die 6, 1 bust RC RH RE",
        ("RA YT TAKE SHOW", "", ""),
    ),
    "without what is laid against an attack": (
        {},
        "0 play SHOW 1, 1 allow, roll 1 2, 1 idle, roll 2 2, 2 demand 1, 1 hide HIDE",
        ("", "YC YH YE YA RT BUST", ""),
    ),
    "without what is played": (
        {},
        "0 play SHOW 1, 1 allow, roll 1 2, 1 play BUST 2, 2 hide WILD",
        ("", "YC YH YE YA RT HIDE", ""),
    ),
    "nothing of who has left": ({}, "0 play SHOW 1, 1 allow, roll 1 2, leave 1", ("", "", "")),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("viewer", [ZERO, TWO, None])
def test_open_cards_stay_known_until_they_are_gone(name: str, viewer: Seat | None) -> None:
    """All viewers know them, spectators too: a shown hand is shown to all."""
    setup, moves, known = KNOWN[name]
    game = start_game(**setup).acts(*(move for move in moves.split(", ") if move))

    seen = CHEATER.snapshot(game.state, viewer)

    assert tuple(" ".join(card_texts(hand)) for hand in seen.known) == tuple(
        " ".join(card_texts(sorted(cards(hand)))) for hand in known
    )
