"""What each viewer may know, against the table of spec A9."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from arena.games.cheat.rules.actions import BELIEVE
from arena.games.cheat.rules.cards import EMPTY_HAND, hand_from_cards, read_cards
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
)
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.ruleset import CheckMode
from arena.games.cheat.rules.state import Claim
from arena.games.cheat.rules.view_types import (
    BelievedView,
    CalledView,
    CardsLaid,
    CardsShown,
    CardsTaken,
    DealtView,
    HandCheckedView,
    HandDealt,
    LayerView,
    PileBanishedView,
    PlayedView,
    SeatLeftView,
)
from arena.games.cheat.rules.views import PUBLIC_EVENTS
from arena.match.game import Seat
from tests.games.cheat.rules.game_driver import GameDriver, start_game

ZERO, ONE, TWO = Seat(0), Seat(1), Seat(2)
LIE, REST = read_cards(["4D"]), read_cards(["5C", "6C"])
PILE = hand_from_cards(LIE + REST)


def call_claim(check: CheckMode, *, right: bool) -> Called:
    """Return a call of seat 2 against seat 0. The called card lies on two others."""
    return Called(TWO, ZERO, right, LIE, check, ZERO if right else TWO, PILE, ONE, sizes_visible=True)


def test_hand_is_dealt_to_its_own_seat_only() -> None:
    """Hand sizes and the first mover are public."""
    hands = (hand_from_cards(LIE), hand_from_cards(REST))

    public, private = CHEAT.redact(Dealt(hands, ONE, TWO, sizes_visible=True))

    assert public == DealtView((1, 2), ONE, TWO)
    assert private == {0: (HandDealt(hands[0]),), 1: (HandDealt(hands[1]),)}


def test_card_move_shows_its_claim_and_whether_the_hand_is_empty() -> None:
    """Only the mover learns which cards it played, which matters if the move was automatic."""
    public, private = CHEAT.redact(Played(ZERO, LIE, 12, 1, True, ONE, face_up=False, sizes_visible=True))

    assert public == PlayedView(ZERO, 12, 1, emptied=True, to_move=ONE, laid=1, cards=None)
    assert private == {0: (CardsLaid(LIE),)}


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize(
    ("check", "cards", "rest"),
    [
        (CheckMode.ARBITER, None, None),
        (CheckMode.CALLER, None, None),
        (CheckMode.PUBLIC, LIE, None),
        (CheckMode.PUBLIC_PLUS, LIE, hand_from_cards(REST)),
    ],
)
def test_call_reveals_the_result_to_all(check: CheckMode, cards: Any, rest: Any, right: bool) -> None:
    """Caller, accused, verdict, taker and the number of cards taken are public in every mode."""
    public, _ = CHEAT.redact(call_claim(check, right=right))

    assert public == CalledView(TWO, ZERO, right, cards, rest, ZERO if right else TWO, 3, ONE)


@pytest.mark.parametrize("check", [CheckMode.ARBITER, CheckMode.PUBLIC, CheckMode.PUBLIC_PLUS])
@pytest.mark.parametrize("right", [True, False])
def test_only_the_taker_learns_which_cards_it_took(check: CheckMode, right: bool) -> None:
    """It gets them as a set, without order or former owners, in every mode."""
    _, private = CHEAT.redact(call_claim(check, right=right))

    assert private == {0 if right else 2: (CardsTaken(PILE),)}


def test_check_by_the_caller_shows_cards_to_the_caller_only() -> None:
    """A caller who was wrong takes the pile as well."""
    _, right = CHEAT.redact(call_claim(CheckMode.CALLER, right=True))
    _, wrong = CHEAT.redact(call_claim(CheckMode.CALLER, right=False))

    assert right == {2: (CardsShown(LIE),), 0: (CardsTaken(PILE),)}
    assert wrong == {2: (CardsShown(LIE), CardsTaken(PILE))}


def test_overruled_call_is_private_to_its_seat() -> None:
    """No other viewer learns of it."""
    assert CHEAT.redact(Overruled(ONE)) == (None, {1: (Overruled(ONE),)})


def test_only_the_number_of_a_leavers_cards_is_public() -> None:
    """No viewer learns more."""
    assert CHEAT.redact(SeatLeft(ONE, PILE, 4, TWO, sizes_visible=True)) == (SeatLeftView(ONE, 3, 4, TWO), {})


@pytest.mark.parametrize(
    "event",
    [
        DeckCut(ZERO, (20, 34)),
        PacketChosen(ONE, 1),
        Passed(ZERO, ONE),
        TrickEnded(ONE),
        WindowClosed(True, ONE),
        FinalWindowOpened(ZERO),
        SeatPlaced(ZERO, 1),
    ],
)
def test_events_without_a_secret_are_public_as_they_are(event: Any) -> None:
    """The test lists the exact fields behind that decision: a new field needs a new decision."""
    assert CHEAT.redact(event) == (event, {})
    assert tuple(field.name for field in fields(event)) == PUBLIC_EVENTS[type(event)]


def test_snapshot_holds_only_the_viewers_own_cards() -> None:
    """It shows the viewer's hand and its own cards in the pile."""
    driver = start_game("4D KS", "QS 9D", "2C 7C", pile="5C")
    driver.play(0, "4D", "K")
    driver.play(1, "QS", "Q")
    driver.leave(2)

    seen = CHEAT.snapshot(driver.state, ZERO)

    assert seen.hand == hand_from_cards(read_cards(["KS"]))
    assert seen.hand_sizes == (1, 1, 0)
    assert seen.pile == (
        LayerView(TWO, None, 2, 2, None),
        LayerView(None, None, 1, 1, None),
        LayerView(ZERO, 12, 1, 1, LIE),
        LayerView(ONE, 11, 1, 1, None),
    )
    assert (seen.to_move, seen.prev, seen.last) == (0, Claim(ONE, 11, 1), Claim(ONE, 11, 1))
    assert (seen.trick_start, seen.passed, seen.places, seen.landed) == (False, (), (0, 0, 3), 2)


def test_spectator_sees_no_card() -> None:
    """Neither hands nor layers of the pile are visible."""
    driver = start_game("4D KS", "QS 9D", pile="5C")
    driver.play(0, "4D", "K")

    seen = CHEAT.snapshot(driver.state, None)

    assert seen.hand is None
    assert [layer.cards for layer in seen.pile] == [None, None]


def test_with_hidden_sizes_no_event_reveals_a_size() -> None:
    """Sizes of hands and of the pile are visible only to the seats whose cards they are."""
    assert CHEAT.redact(Dealt((PILE, PILE), ZERO, ONE, sizes_visible=False)).public == DealtView(None, ZERO, ONE)
    assert CHEAT.redact(Played(ZERO, REST, 12, 1, False, ONE, face_up=False, sizes_visible=False)).public == PlayedView(
        ZERO, 12, 1, emptied=False, to_move=ONE, laid=None, cards=None
    )
    hidden = Called(TWO, ZERO, True, LIE, CheckMode.PUBLIC, ZERO, PILE, ONE, sizes_visible=False)
    assert CHEAT.redact(hidden).public == CalledView(TWO, ZERO, True, LIE, None, ZERO, None, ONE)
    assert CHEAT.redact(PileBanished(PILE, sizes_visible=False)) == (PileBanishedView(None), {})
    assert CHEAT.redact(SeatLeft(ONE, PILE, 4, TWO, sizes_visible=False)).public == SeatLeftView(ONE, None, 4, TWO)
    check = HandChecked(ZERO, False, PILE, sizes_visible=False)
    assert CHEAT.redact(check) == (HandCheckedView(ZERO, False, None), {0: (CardsTaken(PILE),)})


def test_face_up_opening_is_public_with_its_cards() -> None:
    """Their number is public too, even where sizes are hidden."""
    public, _ = CHEAT.redact(Played(ZERO, REST, 4, 2, False, ONE, face_up=True, sizes_visible=False))

    assert (public.laid, public.cards) == (2, REST)


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize(("check", "cards"), [(CheckMode.CALLER, None), (CheckMode.PUBLIC, LIE)])
def test_belief_is_shown_like_a_call(check: CheckMode, cards: bytes | None, right: bool) -> None:
    """Only the believer sees the cards if the check allows it, and what it takes if it was wrong."""
    public, private = CHEAT.redact(Believed(TWO, ZERO, right, LIE, check, PILE, ONE, sizes_visible=True))

    assert public == BelievedView(TWO, ZERO, right, cards, None, None if right else TWO, 3, ONE)
    shown = (CardsShown(LIE),) if check is CheckMode.CALLER else ()
    taken = () if right else (CardsTaken(PILE),)
    assert private == ({2: shown + taken} if shown + taken else {})


def test_true_last_move_is_announced_without_cards() -> None:
    """The check mode of calls has no effect on it."""
    assert CHEAT.redact(HandChecked(ZERO, True, PILE, sizes_visible=True)) == (HandCheckedView(ZERO, True, 0), {})


def test_hidden_sizes_still_show_empty_hands_and_own_cards() -> None:
    """An empty hand is public at once; the number of cards left behind is not."""
    driver = start_game("KS", "QS 9D", "2C 7C", "AC AD", sizes_visible=False, believe=True)
    driver.play(0, "KS", "K")
    driver.leave(3)

    seen = CHEAT.snapshot(driver.state, ONE)

    assert seen.hand_sizes == (0, 2, None, 0)
    assert seen.pile == (LayerView(Seat(3), None, None, None, None), LayerView(ZERO, 12, 1, None, None))
    assert seen.banished is None


def test_snapshot_has_what_the_options_need() -> None:
    """The rank of a rotation, the number of banished cards, open cards for every viewer."""
    rotation = start_game("AS 4D", "QS 9D", rank_mode="rotation", believe=True)
    rotation.play(0, "AS", "A")
    rotation.act(1, BELIEVE)
    opened = start_game("KS 4D", "QS 9D", opening_face_up=True)
    opened.play(0, "KS", "K")

    seen = CHEAT.snapshot(rotation.state, None)
    assert (seen.required_rank, seen.banished, seen.pile) == (1, 1, ())
    assert CHEAT.snapshot(opened.state, None).pile == (LayerView(ZERO, 12, 1, 1, read_cards(["KS"])),)
    assert CHEAT.snapshot(opened.state, None).required_rank is None


def twin(check: str, sealed: bool, hidden: tuple[str, str, str]) -> GameDriver:
    """Play a short game in which seat 1 claims a queen with the first hidden card; seat 0 sees none of the three."""
    driver = start_game(
        "KS 4D", f"{hidden[0]} {hidden[1]}", f"{hidden[2]} 2C", "AC AD", pile="", check=check, sealed=sealed
    )
    for seat, card, rank in ((0, "KS", "K"), (1, hidden[0], "Q")):
        assert driver.play(seat, card, rank) is None
        if sealed and seat == 0:
            driver.close_window()
    driver.leave(2)
    return driver


@pytest.mark.parametrize("sealed", [False, True])
def test_games_that_differ_in_unseen_cards_look_the_same(sealed: bool) -> None:
    """Whatever seats 1 and 2 hold, seats 0 and 3 and a spectator get identical views, until a call."""
    first, second = (twin("public", sealed, hidden) for hidden in (("QS", "9D", "7C"), ("9D", "7C", "QS")))

    for viewer in (ZERO, Seat(3)):
        assert views(first, viewer) == views(second, viewer)
        assert CHEAT.snapshot(first.state, viewer) == CHEAT.snapshot(second.state, viewer)
    assert CHEAT.snapshot(first.state, None) == CHEAT.snapshot(second.state, None)


def test_public_part_has_no_cards_unless_a_check_shows_them() -> None:
    """No public field of any other event is a hand or a run of codes."""
    events: list[Event] = [
        Dealt((PILE, PILE), ZERO, ONE, sizes_visible=True),
        Played(ZERO, LIE, 12, 1, False, ONE, face_up=False, sizes_visible=True),
        Believed(TWO, ZERO, True, LIE, CheckMode.CALLER, PILE, ONE, sizes_visible=True),
        HandChecked(ZERO, False, PILE, sizes_visible=True),
        PileBanished(PILE, sizes_visible=True),
        SeatLeft(ONE, PILE, 4, TWO, sizes_visible=True),
        call_claim(CheckMode.ARBITER, right=True),
        call_claim(CheckMode.CALLER, right=False),
    ]

    for event in events:
        assert not list(card_fields(CHEAT.redact(event).public)), event


def views(driver: GameDriver, viewer: Seat) -> list[Any]:
    """Return everything that one viewer receives."""
    told = [CHEAT.redact(event) for event in driver.events]
    return [(public, private.get(viewer, ())) for public, private in told]


def card_fields(part: Any) -> Iterator[Any]:
    """Yield the fields of a view that could name cards: bytes, or one number for each code."""
    assert is_dataclass(part)
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, bytes) or (isinstance(value, tuple) and len(value) == len(EMPTY_HAND)):
            yield value
