"""Actions as text, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import NotationError
from arena.games.cheater.rules.actions import (
    ALLOW,
    DRAW,
    DRAW_TWO,
    IDLE,
    TAKE_TOP,
    Action,
    Attack,
    Bust,
    Demand,
    Discard,
    Hide,
    Play,
    Take,
)
from arena.games.cheater.rules.cards import HIDE, NO_CARD, SHOW, WILD
from arena.games.cheater.rules.game import CHEATER
from arena.match.game import Seat

TEXTS: list[tuple[Action, str]] = [
    (DRAW, "draw"),
    (DRAW_TWO, "draw2"),
    (TAKE_TOP, "top"),
    (IDLE, "idle"),
    (ALLOW, "allow"),
    (Demand(Seat(3)), "demand 3"),
    (Play(SHOW, Seat(0)), "play SHOW 0"),
    (Play(WILD, Seat(2), Attack.BUST), "play WILD 2 bust"),
    (Discard(b"\x00\x05"), "discard RC RR"),
    (Discard(b""), "discard"),
    (Hide(HIDE), "hide HIDE"),
    (Take(6), "take YC"),
    (Take(6, 0), "take YC RC"),
    (Bust(b""), "bust"),
    (Bust(b"\x18\x00"), "bust TAKE RC"),
    (Take(NO_CARD, NO_CARD), "take ?? ??"),
]


@pytest.mark.parametrize(("action", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_action_has_one_text(action: Action, text: str) -> None:
    assert CHEATER.write_action(action) == text
    assert CHEATER.read_action(text) == action


CARDS = st.integers(0, NO_CARD)
SEATS = st.integers(0, 2**32 - 1).map(Seat)
SOME = st.lists(CARDS, max_size=9).map(bytes)
ACTIONS = st.one_of(
    st.sampled_from([DRAW, DRAW_TWO, TAKE_TOP, IDLE, ALLOW]),
    st.builds(Demand, SEATS),
    st.builds(Play, CARDS, SEATS, st.none() | st.sampled_from(Attack)),
    st.builds(Discard, SOME),
    st.builds(Hide, CARDS),
    st.builds(Take, CARDS, st.none() | CARDS),
    st.builds(Bust, SOME),
)


@given(action=ACTIONS)
def test_every_sendable_action_round_trips_through_text(action: Action) -> None:
    """This includes actions that no rule allows: refused actions are recorded."""
    assert CHEATER.read_action(CHEATER.write_action(action)) == action


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fold",
        "draw ",
        "draw 1",
        "demand",
        "demand x",
        "demand 01",
        "demand -1",
        "demand 1 2",
        "demand ²",
        "demand 12345678901",
        "play",
        "play TAKE",
        "play TAKE 1 hide",
        "play TAKE 1 take show",
        "play XX 1",
        "discard RC  RR",
        "discard rc",
        "hide",
        "hide HIDE WILD",
        "take",
        "take RC RC RC",
        "bust KS",
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        CHEATER.read_action(text)


@pytest.mark.parametrize("action", [Hide(-1), Hide(30), Take(1, 99), Discard(b"\x1e"), Demand(Seat(-1))])
def test_actions_without_text_are_refused(action: Action) -> None:
    with pytest.raises(NotationError):
        CHEATER.write_action(action)
