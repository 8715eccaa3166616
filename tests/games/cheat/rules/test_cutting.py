"""Cutting and choosing, dealers, uneven deals and the first mover (spec A2, A3, AMB-18, AMB-42, AMB-45)."""

from typing import Any

import pytest

from arena.games.cheat.rules.actions import Action, Choose, Cut
from arena.games.cheat.rules.cards import cards_from_hand
from arena.games.cheat.rules.cut_and_choose import ChooseOptions, CutOptions
from arena.games.cheat.rules.events import Dealt, DeckCut, PacketChosen, SeatLeft
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.state import State
from arena.games.cheat.rules.view_types import PacketView
from arena.match.game import GameSetup, Seat, Style, TimeLimit
from tests.games.cheat.rules.game_driver import GameDriver, lay


def deal_game(seat_count: int, number: int = 0, **options: Any) -> State:
    """Return a game with its draws made from sorted packs; if the first mover is drawn, seat 1 begins."""
    rules = CHEAT.build_ruleset("standard", {"jokers_per_deck": 0, **options})
    state: State = CHEAT.initial_state(rules, GameSetup(seat_count, number, Style.SEALED, deal_moves=number))
    while (chance := CHEAT.chance_request(state)) is not None:
        state = CHEAT.apply_chance(state, [1] if chance.faces else range(chance.count)).state
    return state


def start_cutting(seat_count: int = 3, number: int = 0) -> GameDriver:
    """Return a game in which the deck is to be cut."""
    return GameDriver(deal_game(seat_count, number, deal="cut_and_choose"))


# ---- dealer, first mover, uneven deals


@pytest.mark.parametrize(("number", "dealer"), [(0, 2), (1, 0), (2, 1), (3, 2)])
def test_deal_moves_one_seat_each_game(number: int, dealer: int) -> None:
    """It starts from the last seat in game 1."""
    assert deal_game(3, number).dealer == dealer


@pytest.mark.parametrize(
    ("first_mover", "number", "turn"),
    [("random", 0, 1), ("first_seat", 0, 0), ("first_seat", 1, 0), ("left_of_dealer", 0, 0), ("left_of_dealer", 2, 2)],
)
def test_first_mover_by_option(first_mover: str, number: int, turn: int) -> None:
    """Only a random first mover is drawn."""
    assert deal_game(3, number, first_mover=first_mover).to_move == turn


@pytest.mark.parametrize(
    ("options", "number", "sizes"),
    [
        ({}, 0, (11, 11, 10, 10, 10)),
        ({}, 1, (11, 11, 10, 10, 10)),
        ({"extra_cards_to": "last_dealt"}, 0, (10, 10, 10, 11, 11)),
        ({"extra_cards_to": "last_dealt"}, 1, (11, 10, 10, 10, 11)),
    ],
)
def test_uneven_deal(options: dict[str, Any], number: int, sizes: tuple[int, ...]) -> None:
    """Of five seats that share 52 cards, the first two get one more, or the dealer and the one before it."""
    assert deal_game(5, number, **options).sizes == sizes


# ---- the cut and the choices


def test_dealer_cuts_others_choose_clockwise_and_dealer_keeps_the_rest() -> None:
    """Packets are runs of the deck; sizes and choices are public, cards are hidden until all have chosen."""
    driver = start_cutting()
    (question,) = driver.group("cut").questions
    assert (question.seat, question.options) == (2, CutOptions(packet_count=3, card_count=52))
    assert driver.act(2, Cut((20, 2, 30))) is None
    (question,) = driver.group("choose").questions
    assert (question.seat, question.options) == (0, ChooseOptions((20, 2, 30), (0, 1, 2)))
    assert driver.act(0, Choose(1)) is None
    assert driver.group("choose").questions[0].options == ChooseOptions((20, 2, 30), (0, 2))
    packets = CHEAT.snapshot(driver.state, None).packets
    assert packets == (PacketView(20, None), PacketView(2, Seat(0)), PacketView(30, None))
    assert driver.act(1, Choose(2)) is None

    assert driver.events[:3] == [DeckCut(Seat(2), (20, 2, 30)), PacketChosen(Seat(0), 1), PacketChosen(Seat(1), 2)]
    assert isinstance(driver.events[3], Dealt)
    assert [cards_from_hand(hand) for hand in driver.state.hands] == [
        bytes([20, 21]),
        bytes(range(22, 52)),
        bytes(range(20)),
    ]
    assert driver.facts["to_move"] == 1
    assert CHEAT.snapshot(driver.state, None).packets == ()


def test_cut_and_choice_have_a_turn_time_each() -> None:
    """Each prompt has its own serial."""
    driver = start_cutting()
    cut = driver.group("cut")
    driver.act(2, Cut((20, 2, 30)))
    first = driver.group("choose")
    driver.act(0, Choose(0))
    second = driver.group("choose")

    assert {group.length for group in (cut, first, second)} == {TimeLimit.TURN}
    assert len({group.serial for group in (cut, first, second)}) == 3


REFUSED: list[tuple[int, Action, str]] = [
    # before the cut, by the dealer 2: seat, action, code
    (2, Cut((26, 26)), "illegal_cut"),
    (2, Cut((13, 13, 13, 13)), "illegal_cut"),
    (2, Cut((0, 26, 26)), "illegal_cut"),
    (2, Cut((50, 1, 2)), "illegal_cut"),
    (2, Cut((50, 1)), "illegal_cut"),
    (2, Cut(()), "illegal_cut"),
    (0, Cut((20, 2, 30)), "not_your_turn"),
    (1, Cut((20, 2, 30)), "not_your_turn"),
    (2, Choose(0), "not_your_turn"),
    (0, Choose(0), "not_your_turn"),
    (2, lay("AC", "A"), "not_your_turn"),
]


@pytest.mark.parametrize(("seat", "action", "code"), REFUSED)
def test_invalid_cuts_are_refused(seat: int, action: Action, code: str) -> None:
    """A cut has as many packets as seats, each with a card, together all cards, and comes from the dealer."""
    assert start_cutting().act(seat, action) == code


@pytest.mark.parametrize(
    ("seat", "action", "code"),
    [
        (1, Choose(0), "illegal_cut"),
        (1, Choose(3), "illegal_cut"),
        (0, Choose(1), "not_your_turn"),
        (2, Choose(1), "not_your_turn"),
        (2, Cut((20, 2, 30)), "not_your_turn"),
        (1, lay("AC", "A"), "not_your_turn"),
    ],
)
def test_invalid_choices_are_refused(seat: int, action: Action, code: str) -> None:
    """The packet is taken or does not exist, or the seat is not the one to choose."""
    driver = start_cutting()
    driver.act(2, Cut((20, 2, 30)))
    driver.act(0, Choose(0))

    assert driver.act(seat, action) == code


def test_cut_and_choice_are_refused_during_a_game() -> None:
    """The deck has been dealt."""
    driver = GameDriver(deal_game(3))

    assert driver.act(1, Cut((20, 2, 30))) == "not_your_turn"
    assert driver.act(1, Choose(0)) == "not_your_turn"


@pytest.mark.parametrize(("seat_count", "sizes"), [(2, (26, 26)), (3, (17, 17, 18)), (5, (10, 10, 10, 11, 11))])
def test_automatic_cut_is_even(seat_count: int, sizes: tuple[int, ...]) -> None:
    """Thicker packets come last."""
    state = start_cutting(seat_count).state

    assert CHEAT.automatic_action(state, state.dealer, "cut") == Cut(sizes)


def test_automatic_choice_is_the_thinnest_packet_left() -> None:
    """Of equal packets it takes the first."""
    driver = start_cutting(4)
    driver.act(3, Cut((40, 5, 2, 5)))
    chosen = []
    for seat in (0, 1, 2):
        action = CHEAT.automatic_action(driver.state, Seat(seat), "choose")
        chosen.append(action)
        driver.act(seat, action)

    assert chosen == [Choose(2), Choose(1), Choose(3)]


def test_two_seats_need_one_choice() -> None:
    """The dealer gets the other packet."""
    driver = start_cutting(2)
    driver.act(1, Cut((50, 2)))

    driver.act(0, Choose(1))

    assert driver.state.sizes == (2, 50)


# ---- leaving meanwhile


def test_leaving_seat_is_dealt_in_and_leaves_before_the_first_turn() -> None:
    """Its cut or choice is made as if its time had run out."""
    driver = start_cutting()
    driver.leave(0)
    driver.act(2, Cut((20, 2, 30)))
    assert driver.group("choose").questions[0].seat == 1

    driver.act(1, Choose(2))

    assert PacketChosen(Seat(0), 1) in driver.events
    assert [type(event) for event in driver.events[-2:]] == [Dealt, SeatLeft]
    assert driver.facts["places"] == {"0": 3}
    assert driver.state.sizes == (0, 30, 20)
    assert driver.facts["pile"] == ["6C", "6D"]


def test_leaving_dealer_gets_an_automatic_cut() -> None:
    """The cut is even."""
    driver = start_cutting()

    driver.leave(2)

    assert driver.events == [DeckCut(Seat(2), (17, 17, 18))]
    assert driver.group("choose").questions[0].seat == 0


def test_game_is_dealt_and_ends_when_all_but_one_leave() -> None:
    """Leaving again has no effect."""
    driver = start_cutting()
    driver.leave(2)
    driver.leave(2)
    driver.leave(0)
    assert not driver.facts["over"]

    driver.act(1, Choose(1))

    assert driver.facts["over"]
    assert driver.facts["places"] == {"1": 1, "0": 2, "2": 3}
