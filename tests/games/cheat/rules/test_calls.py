"""Calls: who may call, who is right, who takes the pile, what is shown (spec A7, A9, A12.5)."""

import pytest

from arena.games.cheat.rules.actions import CALL, DECLINE, Play
from arena.games.cheat.rules.events import Called, Overruled
from arena.games.cheat.rules.game import CHEAT
from arena.match.game import Seat
from tests.games.cheat.rules.game_driver import lay, start_game


@pytest.mark.parametrize(
    ("laid", "rank", "right"),
    [
        ("KS", "K", False),
        ("4D", "K", True),
        ("KS KD", "K", False),
        ("KS 4D", "K", True),
        ("JK", "7", False),
        ("KS JK", "K", False),
        ("KS JK", "Q", True),
        ("JK JK", "A", False),
    ],
)
def test_call_is_right_if_any_card_is_wrong(laid: str, rank: str, right: bool) -> None:
    """A joker counts as every rank. The loser takes the whole pile."""
    driver = start_game("KS KD 4D JK JK", "QS 9D", "2C 7C", pile="5C 6C")
    driver.play(0, laid, rank)

    driver.call(2)

    taker = 0 if right else 2
    assert driver.facts["result"] == {"kind": "call", "success": right, "taker": taker}
    assert driver.facts["pile"] == []
    assert set(laid.split()) | {"5C", "6C"} <= set(driver.facts["hands"][str(taker)])


def test_call_does_not_move_the_turn() -> None:
    """A right or a wrong call moves no turn, and the trick continues."""
    for laid in ("4D", "KS"):
        driver = start_game("KS 4D 5D", "QS 9D", "2C 7C", "AC AD")
        driver.play(0, laid, "K")

        driver.call(3)

        assert driver.facts["to_move"] == 1
        assert not driver.facts["trick_start"]


@pytest.mark.parametrize(("callers", "counts"), [((1, 3), 3), ((0, 1), 0), ((3, 0, 1), 3), ((1,), 1)])
@pytest.mark.parametrize("sealed", [False, True])
def test_nearest_caller_clockwise_counts(callers: tuple[int, ...], counts: int, sealed: bool) -> None:
    """Distance is counted from the accused seat 2; only a sealed game tells each other caller privately."""
    driver = start_game("KS 4D", "QS 9D", "2C 7C", "AC AD", start=2, sealed=sealed)
    driver.play(2, "2C", "K")

    driver.call(*callers)

    called = next(event for event in driver.events if isinstance(event, Called))
    assert called.caller == counts
    others = {event.seat for event in driver.events if isinstance(event, Overruled)}
    assert others == (set(callers) - {counts} if sealed else set())


def test_live_refusals_are_checked_in_order() -> None:
    """Nothing to call, then the own move, then seats that are out."""
    driver = start_game("KS", "QS 9D", "2C 7C", "AC AD")
    assert driver.act(1, CALL) == "nothing_to_call"
    driver.play(0, "KS", "K")
    driver.play(1, "QS", "Q")

    assert driver.act(1, CALL) == "own_move"
    assert driver.act(0, CALL) == "caller_not_allowed"
    assert driver.act(0, DECLINE) == "caller_not_allowed"
    assert driver.play(0, "KS", "K") == "not_your_turn"
    assert driver.act(2, DECLINE) is None
    assert driver.act(2, CALL) is None
    assert driver.act(3, CALL) == "nothing_to_call"


def test_sealed_answers_need_a_prompt() -> None:
    """Without a window no seat has a prompt; within one, every active seat but the mover does."""
    driver = start_game("KS", "QS 9D", "2C 7C", "AC AD", sealed=True)
    assert driver.act(1, CALL) == "not_asked"
    assert driver.act(1, DECLINE) == "not_asked"
    driver.play(0, "KS", "K")
    driver.close_window()
    driver.play(1, "QS", "Q")

    assert driver.seats_asked == [2, 3]
    assert driver.act(0, CALL) == "not_asked"
    assert driver.act(1, DECLINE) == "not_asked"
    assert driver.play(2, "2C", "K") == "not_your_turn"


def test_answer_of_the_wrong_kind_is_refused() -> None:
    """A play does not answer a window, and a call does not answer a turn."""
    driver = start_game("KS 4D", "QS 9D", "2C 7C")
    driver.play(0, "KS", "K")

    assert CHEAT.why_illegal(driver.state, Seat(1), lay("QS", "Q"), "window") == "not_your_turn"
    assert CHEAT.why_illegal(driver.state, Seat(1), CALL, "turn") == "not_asked"
    assert CHEAT.why_illegal(driver.state, Seat(1), DECLINE, "turn") == "not_asked"
    assert CHEAT.why_illegal(driver.state, Seat(1), lay("QS", "Q"), "turn") is None
    assert CHEAT.why_illegal(driver.state, Seat(1), CALL, "window") is None


def test_foreign_cards_and_nonexistent_cards_are_refused_alike() -> None:
    """The refusal reveals nothing about other hands; it precedes the checks of rank and count."""
    driver = start_game("KS 4D", "QS 9D")

    for cards in (bytes([47]), bytes([53]), bytes([255]), bytes([51, 51])):
        assert driver.act(0, Play(cards, 9, 99)) == "not_in_hand"


def test_every_action_after_the_end_is_refused_as_over() -> None:
    """The code is the same for every action and every sender."""
    driver = start_game("KS", "QS 9D")
    driver.play(0, "KS", "K")
    driver.close_window()

    for seat in (0, 1):
        assert driver.act(seat, CALL) == "game_over"
        assert driver.play(seat, "QS", "Q") == "game_over"


@pytest.mark.parametrize(
    ("check", "mover", "caller", "other"),
    [
        ("arbiter", [], [], []),
        ("caller", [], ["4D"], []),
        ("public", ["4D"], ["4D"], ["4D"]),
        ("public+", ["4D", "5C", "6C"], ["4D", "5C", "6C"], ["4D", "5C", "6C"]),
    ],
)
def test_call_reveals_cards_by_check_mode(check: str, mover: list[str], caller: list[str], other: list[str]) -> None:
    """The verdict is public in every mode."""
    driver = start_game("4D KS", "QS 9D", "2C 7C", pile="6C 5C", check=check)
    driver.play(0, "4D", "K")

    driver.call(2)

    assert driver.facts["shown"] == {"0": mover, "1": other, "2": caller}
