"""Illegal actions and the code that explains each (docs/rules/cases.md): every code, phase and preset."""

from typing import Any

import pytest

from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Choose, Cut, Play
from arena.games.cheat.rules.cards import JOKER, NO_CARD
from tests.games.cheat.rules.game_driver import GameDriver, lay, start_game

KS = 51
THREE = ("KS KD 4D", "QS 9D 8C", "2C 7C")

LEADING: list[tuple[dict[str, Any], int, Action, str]] = [
    # options, seat, action while seat 0 is to lead
    ({}, 1, lay("QS", "Q"), "not_your_turn"),
    ({}, 2, lay("2C 7C", "2"), "not_your_turn"),
    ({}, 1, PASS, "not_your_turn"),
    ({}, 0, PASS, "pass_not_allowed"),
    ({"passing": "pass_turn"}, 0, PASS, "pass_not_allowed"),
    ({"passing": "pass_trick"}, 0, PASS, "pass_not_allowed"),
    ({"passing": "single_turn"}, 0, PASS, "pass_not_allowed"),
    ({}, 0, lay("QS", "K"), "not_in_hand"),
    ({}, 0, lay("KS KS", "K"), "not_in_hand"),
    ({}, 0, lay("KS KD KH", "K"), "not_in_hand"),
    ({}, 0, lay("JK", "K"), "not_in_hand"),
    ({}, 0, Play(bytes([NO_CARD]), 1, 0), "not_in_hand"),
    ({}, 0, Play(bytes([255, KS]), 2, 12), "not_in_hand"),
    ({}, 0, Play(bytes([JOKER]), 9, 99), "not_in_hand"),
    ({"decks": 2}, 0, lay("KS KS", "K"), "not_in_hand"),
    ({"count_lies": True}, 0, lay("QS", "K", 3), "not_in_hand"),
    ({"opening_face_up": True}, 0, lay("KH KC", "K"), "not_in_hand"),
    ({}, 0, Play(bytes([KS]), 1, 13), "illegal_rank"),
    ({}, 0, Play(bytes([KS]), 1, -1), "illegal_rank"),
    ({}, 0, Play(bytes([KS]), 1, 256), "illegal_rank"),
    ({}, 0, Play(bytes([KS]), 7, 13), "illegal_rank"),
    ({"rank_start": ["A"]}, 0, lay("KS", "K"), "illegal_rank"),
    ({"rank_start": ["others"]}, 0, lay("KS", "A"), "illegal_rank"),
    ({"rank_mode": "rotation"}, 0, lay("KS", "K"), "illegal_rank"),
    ({"opening_face_up": True}, 0, Play(bytes([KS]), 1, 13), "illegal_rank"),
    ({"opening_face_up": True}, 0, lay("KS 4D", "K"), "opening_must_match"),
    ({"opening_face_up": True}, 0, lay("KS KD", "K", 3), "opening_must_match"),
    ({"opening_face_up": True}, 0, lay("", "K", 1), "opening_must_match"),
    ({}, 0, lay("KS", "K", 2), "count_mismatch"),
    ({}, 0, lay("KS KD", "K", 1), "count_mismatch"),
    ({}, 0, lay("KS", "K", 0), "count_mismatch"),
    ({}, 0, lay("", "K", 1), "count_mismatch"),
    ({}, 0, lay("KS", "K", -1), "count_mismatch"),
    ({"rank_mode": "rotation"}, 0, lay("KS KD", "A", 1), "count_mismatch"),
    ({}, 0, lay("", "K", 0), "illegal_count"),
    ({"max_count": 1}, 0, lay("KS KD", "K"), "illegal_count"),
    ({"min_count": 2}, 0, lay("KS", "K"), "illegal_count"),
    ({"rank_mode": "rotation"}, 0, lay("", "A", 0), "illegal_count"),
    ({"count_lies": True}, 0, lay("KS", "K", 0), "illegal_count"),
    ({"count_lies": True}, 0, lay("KS", "K", -1), "illegal_count"),
    ({"count_lies": True}, 0, lay("", "K", 1), "illegal_count"),
    ({"count_lies": True}, 0, lay("KS", "K", 7), "illegal_count"),
    ({"count_lies": True, "min_count": 2}, 0, lay("KS", "K", 2), "illegal_count"),
    ({}, 0, BELIEVE, "believe_off"),
    ({}, 1, BELIEVE, "believe_off"),
    ({}, 0, Cut((4, 3, 1)), "not_your_turn"),
    ({}, 0, Choose(0), "not_your_turn"),
]


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize(("options", "seat", "action", "code"), LEADING)
def test_refused_at_the_start_of_a_trick(
    options: dict[str, Any], seat: int, action: Action, code: str, sealed: bool
) -> None:
    """Both styles agree; the state stays the same object."""
    refuses(start_game(*THREE, sealed=sealed, **options), seat, action, code)


NOTHING_MOVED: list[tuple[dict[str, Any], int, Action, str]] = [
    # options, seat, action while nothing has been played, live
    ({}, 0, CALL, "nothing_to_call"),
    ({}, 1, CALL, "nothing_to_call"),
    ({}, 1, DECLINE, "nothing_to_call"),
    ({"believe": True}, 1, BELIEVE, "nothing_to_call"),
    ({"any_caller": False}, 2, CALL, "nothing_to_call"),
    ({"any_caller": False, "call_mode": "turn_action"}, 0, CALL, "nothing_to_call"),
]


@pytest.mark.parametrize(("options", "seat", "action", "code"), NOTHING_MOVED)
def test_refused_while_there_is_nothing_to_call(options: dict[str, Any], seat: int, action: Action, code: str) -> None:
    """Sealed: a seat without a prompt learns nothing beyond that."""
    refuses(start_game(*THREE, **options), seat, action, code)
    refuses(start_game(*THREE, sealed=True, **options), seat, action, "not_asked")


FOLLOWING: list[tuple[dict[str, Any], int, Action, str, str]] = [
    # options, seat, action after seat 0 has claimed a king with 4D: live code, sealed code
    ({}, 0, CALL, "own_move", "not_asked"),
    ({}, 0, DECLINE, "own_move", "not_asked"),
    ({"believe": True}, 0, BELIEVE, "own_move", "not_asked"),
    ({}, 0, BELIEVE, "believe_off", "believe_off"),
    ({}, 2, BELIEVE, "believe_off", "believe_off"),
    ({"any_caller": False}, 2, CALL, "caller_not_allowed", "not_asked"),
    ({"any_caller": False}, 2, DECLINE, "caller_not_allowed", "not_asked"),
    ({"any_caller": False, "believe": True}, 2, BELIEVE, "caller_not_allowed", "not_asked"),
    ({"any_caller": False}, 0, CALL, "own_move", "not_asked"),
    ({"any_caller": False, "call_mode": "turn_action"}, 2, CALL, "caller_not_allowed", "not_asked"),
    ({"any_caller": False, "call_mode": "turn_action"}, 0, CALL, "own_move", "not_asked"),
    ({}, 0, lay("KS", "K"), "not_your_turn", "not_your_turn"),
    ({}, 2, lay("2C", "K"), "not_your_turn", "not_your_turn"),
    ({}, 1, PASS, "pass_not_allowed", "not_your_turn"),
    ({}, 1, lay("KS", "K"), "not_in_hand", "not_your_turn"),
    ({}, 1, lay("QS", "9"), "illegal_rank", "not_your_turn"),
    ({"rank_next": ["up1_wrap"]}, 1, lay("QS", "K"), "illegal_rank", "not_your_turn"),
    ({"count": ["same"]}, 1, lay("QS 9D", "K"), "illegal_count", "not_your_turn"),
    ({"count": ["more"]}, 1, lay("QS", "K"), "illegal_count", "not_your_turn"),
    ({"count": ["same", "more"]}, 1, lay("", "K"), "illegal_count", "not_your_turn"),
    ({}, 1, Choose(0), "not_your_turn", "not_your_turn"),
]


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize(("options", "seat", "action", "live", "closed"), FOLLOWING)
def test_refused_after_a_move(
    options: dict[str, Any], seat: int, action: Action, live: str, closed: str, sealed: bool
) -> None:
    """Live: the turn runs beside the window; sealed: it follows the window."""
    driver = start_game(*THREE, sealed=sealed, **options)
    assert driver.play(0, "4D", "K") is None

    refuses(driver, seat, action, closed if sealed else live)


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("action", [CALL, DECLINE, PASS, lay("QS", "Q"), Cut((1, 1, 1)), Choose(0)])
def test_refused_after_the_game_has_ended(action: Action, sealed: bool) -> None:
    """Every action gets the same code."""
    driver = start_game("KS", "QS 9D", sealed=sealed, believe=True)
    driver.play(0, "KS", "K")
    driver.close_window()

    refuses(driver, 1, action, "game_over")


@pytest.mark.parametrize("sealed", [False, True])
def test_move_is_refused_in_a_final_window(sealed: bool) -> None:
    """No seat is to move."""
    driver = start_game("KS", "QS 9D", sealed=sealed)
    driver.play(0, "KS", "K")

    refuses(driver, 1, lay("QS", "Q"), "not_your_turn")
    refuses(driver, 1, PASS, "not_your_turn")


def refuses(driver: GameDriver, seat: int, action: Action, code: str) -> None:
    """Check that the action is refused with this code and changes nothing."""
    before = driver.state

    assert driver.act(seat, action) == code

    assert driver.state is before
