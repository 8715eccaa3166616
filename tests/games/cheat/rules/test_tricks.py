"""Passing, the end of a trick and the leader of the next (spec A6)."""

from typing import Any

import pytest

from arena.games.cheat.rules.actions import PASS
from arena.games.cheat.rules.events import TrickEnded
from arena.games.cheat.rules.flow import begin_turn
from arena.match.game import Seat
from tests.games.cheat.rules.game_driver import GameDriver, start_game

FOUR = ("KS 4D 5D", "QS 9D 3C", "2C 7C 8H", "AC AD 5H")
COUNTS = ["same", "more", "less"]


def four(**options: Any) -> GameDriver:
    """Start a game of four seats with three cards each, in which seat 0 has claimed a king."""
    driver = start_game(*FOUR, count=COUNTS, **options)
    assert driver.play(0, "KS", "K") is None
    return driver


@pytest.mark.parametrize(
    ("passing", "offered"), [("forced", False), ("pass_turn", True), ("pass_trick", True), ("single_turn", False)]
)
@pytest.mark.parametrize("sealed", [False, True])
def test_pass_is_offered_within_a_trick_in_two_modes(passing: str, offered: bool, sealed: bool) -> None:
    """It is never offered at the start of a trick, nor where every seat has to move."""
    driver = start_game(*FOUR, count=COUNTS, passing=passing, sealed=sealed)
    assert driver.act(0, PASS) == "pass_not_allowed"
    driver.play(0, "KS", "K")
    if sealed:
        driver.close_window()

    assert driver.act(1, PASS) == (None if offered else "pass_not_allowed")


def test_pass_turn_trick_ends_when_all_others_have_passed() -> None:
    """The last mover leads; that took three passes in a row."""
    driver = four(passing="pass_turn")

    for seat in (1, 2, 3):
        assert not driver.facts["trick_start"]
        assert driver.act(seat, PASS) is None

    assert driver.facts["trick_start"]
    assert driver.facts["to_move"] == 0
    assert driver.events[-1] == TrickEnded(driver.state.turn)


def test_pass_turn_card_move_brings_all_seats_back() -> None:
    """Seats 1 and 2 passed, seat 3 moved, and seats 0, 1 and 2 have to pass again."""
    driver = four(passing="pass_turn")
    driver.act(1, PASS)
    driver.act(2, PASS)
    driver.play(3, "AC", "A")

    for seat in (0, 1, 2):
        assert not driver.facts["trick_start"]
        assert driver.act(seat, PASS) is None

    assert driver.facts["to_move"] == 3


@pytest.mark.parametrize(("passing", "still"), [("pass_turn", {2}), ("pass_trick", {1, 2})])
def test_pass_for_a_turn_ends_when_that_turn_begins(passing: str, still: set[int]) -> None:
    """The cause of the turn does not matter; a pass for the trick stays."""
    draft = four(passing=passing).state.draft()
    draft.passed = frozenset({Seat(1), Seat(2)})

    begin_turn(draft)

    assert draft.passed == still


def test_pass_trick_skips_seats_that_passed() -> None:
    """Seat 1 passed: the turn moves 2, 3, 0, 2."""
    driver = four(passing="pass_trick")
    driver.act(1, PASS)
    driver.play(2, "2C", "Q")
    driver.play(3, "AC", "Q")

    assert driver.play(0, "4D", "Q") is None

    assert driver.facts["to_move"] == 2


def test_pass_trick_last_seat_leads_and_all_are_back() -> None:
    """1 passes, 2 moves, 3 and 0 pass: 2 leads, and 3 may follow again."""
    driver = four(passing="pass_trick")
    driver.act(1, PASS)
    driver.play(2, "2C", "Q")
    driver.act(3, PASS)
    driver.act(0, PASS)
    assert driver.facts["to_move"] == 2
    assert driver.facts["trick_start"]

    driver.play(2, "7C", "9")

    assert driver.facts["to_move"] == 3
    assert not driver.facts["trick_start"]


def test_single_turn_every_seat_moves_once() -> None:
    """The fourth move ends the trick and its mover leads."""
    driver = four(passing="single_turn")
    driver.play(1, "QS", "Q")
    driver.play(2, "2C", "J")
    assert not driver.facts["trick_start"]

    driver.play(3, "AC", "T")

    assert driver.facts["trick_start"]
    assert driver.facts["to_move"] == 3


def test_last_move_of_a_finished_trick_stays_callable() -> None:
    """The pile stays and every other seat may still call."""
    driver = four(passing="pass_turn")
    for seat in (1, 2, 3):
        driver.act(seat, PASS)

    assert driver.facts["callers"] == [1, 2, 3]
    assert driver.facts["pile"] == ["KS"]


@pytest.mark.parametrize(("leader", "seat"), [("last_mover", 0), ("next_player", 1)])
@pytest.mark.parametrize("exhausted", [{"rank_next": []}, {"count": ["less"]}])
def test_next_leader_when_no_claim_can_follow(leader: str, seat: int, exhausted: dict[str, Any]) -> None:
    """No rank or no count may follow one king."""
    driver = start_game(*FOUR, exhausted_leader=leader, **exhausted)

    driver.play(0, "KS", "K")

    assert driver.facts["trick_start"]
    assert driver.facts["to_move"] == seat


def test_next_seat_leads_for_a_mover_without_cards() -> None:
    """Its hand is empty, so it cannot lead; a right call later does not return the lead."""
    driver = start_game("4D", "QS 9D", "2C 7C", rank_next=["up1"])
    driver.play(0, "4D", "K")
    assert driver.facts["to_move"] == 1

    driver.call(2)

    assert driver.facts["hands"]["0"] == ["4D"]
    assert driver.facts["to_move"] == 1


def test_zero_card_mover_leads_like_any_other() -> None:
    """All others pass after it played no cards."""
    driver = start_game(*FOUR, passing="pass_turn")
    driver.play(0, "KS", "K")
    driver.play(1, "", "Q")

    for seat in (2, 3, 0):
        driver.act(seat, PASS)

    assert driver.facts["to_move"] == 1
    assert driver.facts["trick_start"]


def test_turn_skips_seats_that_are_out() -> None:
    """Seat 1 is out: after 0 comes 2."""
    driver = start_game("KS 4D 5D", "QS", "2C 7C 8H", start=1)
    driver.play(1, "QS", "Q")
    driver.play(2, "2C", "K")

    driver.play(0, "KS", "K")

    assert driver.facts["places"] == {"1": 1}
    assert driver.facts["to_move"] == 2
