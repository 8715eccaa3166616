"""Which prompt groups are open, and when they count as new (spec A11, A12)."""

import pytest

from arena.games.cheat.rules.actions import CALL, DECLINE, PASS
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.state import TurnOptions
from arena.match.game import ClosingRule, TimeLimit
from tests.games.cheat.rules.game_driver import start_game

FOUR = ("KS 4D 5S", "QS 9D", "2C 7C", "AC AD")


def test_live_turn_and_window_are_open_together() -> None:
    """The window has no length of its own; the next move waits from the landing."""
    driver = start_game(*FOUR)
    driver.play(0, "KS", "K")
    landed = driver.state.step

    turn, window = driver.groups

    assert (turn.kind, turn.closing, turn.length, turn.lands) == ("turn", ClosingRule.FIRST, TimeLimit.TURN, landed)
    assert (window.kind, window.closing, window.length) == ("window", ClosingRule.FIRST, None)
    assert window.earliest == window.clock == landed
    assert [question.seat for question in window.questions] == [1, 2, 3]


def test_sealed_window_comes_before_the_turn() -> None:
    """One follows the other, and the window waits for all."""
    driver = start_game(*FOUR, sealed=True)
    driver.play(0, "KS", "K")

    (window,) = driver.groups
    driver.close_window()
    (turn,) = driver.groups

    assert (window.kind, window.closing, window.length) == ("window", ClosingRule.ALL, TimeLimit.REACTION)
    assert (window.earliest, window.lands) == (None, None)
    assert (turn.kind, turn.closing, turn.length) == ("turn", ClosingRule.FIRST, TimeLimit.TURN)
    assert (turn.earliest, turn.lands, turn.clock) == (None, None, driver.state.step)


@pytest.mark.parametrize("sealed", [False, True])
def test_final_window_has_a_length_and_no_turn_beside_it(sealed: bool) -> None:
    """This holds in both styles."""
    driver = start_game("KS", "QS 9D", sealed=sealed)

    driver.play(0, "KS", "K")

    (window,) = driver.groups
    assert (window.kind, window.length, window.clock) == ("window", TimeLimit.REACTION, driver.state.step)


def test_turn_lists_what_is_legal() -> None:
    """It has ranges of counts and ascending ranks."""
    driver = start_game("KS 4D 5S", "QS 9D 3C 4C 5C", count=["more", "less", "zero"], passing="pass_turn")
    opening = driver.group("turn").questions[0].options
    driver.play(0, "KS 4D", "K")

    assert opening == TurnOptions(bytes(range(13)), ((1, 3),), zero=False, can_pass=False, opens=True)
    assert driver.group("turn").questions[0].options == TurnOptions(
        bytes([0, 11, 12]), ((1, 1), (3, 5)), zero=True, can_pass=True, opens=False
    )


def test_every_landing_opens_a_new_turn_and_a_card_move_a_new_window() -> None:
    """A pass keeps the window of the previous move."""
    driver = start_game(*FOUR, passing="pass_turn")
    driver.play(0, "KS", "K")
    turn, window = driver.groups
    driver.act(1, PASS)
    turn_after_pass, window_after_pass = driver.groups
    driver.play(2, "2C", "Q")
    turn_after_play, window_after_play = driver.groups

    assert turn.serial < turn_after_pass.serial < turn_after_play.serial
    assert window == window_after_pass
    assert window_after_play.serial > window.serial
    assert turn_after_pass.lands == window.clock


def test_live_call_restarts_the_turn() -> None:
    """The same seat gets a new serial and may land at once."""
    driver = start_game(*FOUR)
    driver.play(0, "KS", "K")
    before = driver.group("turn")

    driver.act(2, CALL)

    (after,) = driver.groups
    assert after.serial > before.serial
    assert after.questions[0].seat == before.questions[0].seat == 1
    assert (after.clock, after.lands) == (driver.state.step, None)


def test_live_leave_restarts_the_turn_and_makes_callers_wait() -> None:
    """The window keeps its serial and its clock."""
    driver = start_game(*FOUR)
    driver.play(0, "KS", "K")
    turn, window = driver.groups

    driver.leave(3)

    turn_after, window_after = driver.groups
    assert turn_after.serial > turn.serial
    assert turn_after.clock == driver.state.step
    assert turn_after.lands == turn.lands
    assert (window_after.serial, window_after.clock) == (window.serial, window.clock)
    assert window_after.earliest == driver.state.step


def test_sealed_leave_of_another_seat_keeps_the_turn_with_a_fresh_clock() -> None:
    """The prompt keeps its id and its time restarts."""
    driver = start_game(*FOUR, sealed=True)
    driver.play(0, "KS", "K")
    driver.close_window()
    before = driver.group("turn")

    driver.leave(3)

    after = driver.group("turn")
    assert after.serial == before.serial
    assert after.questions == before.questions
    assert after.clock == driver.state.step > before.clock


def test_decline_does_not_settle() -> None:
    """Every other answer does."""
    assert not CHEAT.is_settling(DECLINE)
    assert CHEAT.is_settling(CALL)
    assert CHEAT.is_settling(PASS)


@pytest.mark.parametrize("sealed", [False, True])
def test_hidden_cards_change_neither_serials_nor_steps(sealed: bool) -> None:
    """Two games with the same claims, one true and one false, open the same prompts."""
    asked = []
    for laid in ("KS", "4D"):
        driver = start_game("KS 4D 5S", "QS 9D", "2C 7C", "AC AD", sealed=sealed)
        driver.play(0, laid, "K")
        driver.leave(3)
        driver.call(2)
        asked.append(driver.groups)

    assert asked[0] == asked[1]


def test_no_prompts_are_open_after_the_end() -> None:
    """No group is open."""
    driver = start_game("KS", "QS 9D")
    driver.leave(1)

    assert driver.groups == ()
