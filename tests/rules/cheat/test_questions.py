"""Which prompt groups are open, and when they count as new (spec A11, A12)."""

import pytest

from arena.rules.cheat.actions import CALL, DECLINE, PASS
from arena.rules.cheat.game import CHEAT
from arena.rules.cheat.state import TurnOptions
from arena.rules.game import ClosingRule, TimeLimit
from tests.rules.cheat.game_driver import start_game

FOUR = ("KS 4D 5S", "QS 9D", "2C 7C", "AC AD")


def test_live_turn_and_window_are_open_together() -> None:
    """The window has no length of its own; the next move waits from the landing."""
    sitting = start_game(*FOUR)
    sitting.play(0, "KS", "K")
    landed = sitting.state.step

    turn, window = sitting.groups

    assert (turn.kind, turn.closing, turn.length, turn.lands) == ("turn", ClosingRule.FIRST, TimeLimit.TURN, landed)
    assert (window.kind, window.closing, window.length) == ("window", ClosingRule.FIRST, None)
    assert window.earliest == window.clock == landed
    assert [question.seat for question in window.questions] == [1, 2, 3]


def test_sealed_window_comes_before_the_turn() -> None:
    """One follows the other, and the window waits for all."""
    sitting = start_game(*FOUR, sealed=True)
    sitting.play(0, "KS", "K")

    (window,) = sitting.groups
    sitting.close_window()
    (turn,) = sitting.groups

    assert (window.kind, window.closing, window.length) == ("window", ClosingRule.ALL, TimeLimit.REACTION)
    assert (window.earliest, window.lands) == (None, None)
    assert (turn.kind, turn.closing, turn.length) == ("turn", ClosingRule.FIRST, TimeLimit.TURN)
    assert (turn.earliest, turn.lands, turn.clock) == (None, None, sitting.state.step)


@pytest.mark.parametrize("sealed", [False, True])
def test_final_window_has_a_length_and_no_turn_beside_it(sealed: bool) -> None:
    """This holds in both styles."""
    sitting = start_game("KS", "QS 9D", sealed=sealed)

    sitting.play(0, "KS", "K")

    (window,) = sitting.groups
    assert (window.kind, window.length, window.clock) == ("window", TimeLimit.REACTION, sitting.state.step)


def test_turn_lists_what_is_legal() -> None:
    """It has ranges of counts and ascending ranks."""
    sitting = start_game("KS 4D 5S", "QS 9D 3C 4C 5C", count=["more", "less", "zero"], passing="pass_turn")
    opening = sitting.group("turn").questions[0].options
    sitting.play(0, "KS 4D", "K")

    assert opening == TurnOptions(bytes(range(13)), ((1, 3),), zero=False, can_pass=False, opens=True)
    assert sitting.group("turn").questions[0].options == TurnOptions(
        bytes([0, 11, 12]), ((1, 1), (3, 5)), zero=True, can_pass=True, opens=False
    )


def test_every_landing_opens_a_new_turn_and_a_card_move_a_new_window() -> None:
    """A pass keeps the window of the previous move."""
    sitting = start_game(*FOUR, passing="pass_turn")
    sitting.play(0, "KS", "K")
    turn, window = sitting.groups
    sitting.act(1, PASS)
    turn_after_pass, window_after_pass = sitting.groups
    sitting.play(2, "2C", "Q")
    turn_after_play, window_after_play = sitting.groups

    assert turn.serial < turn_after_pass.serial < turn_after_play.serial
    assert window == window_after_pass
    assert window_after_play.serial > window.serial
    assert turn_after_pass.lands == window.clock


def test_live_call_restarts_the_turn() -> None:
    """The same seat gets a new serial and may land at once."""
    sitting = start_game(*FOUR)
    sitting.play(0, "KS", "K")
    before = sitting.group("turn")

    sitting.act(2, CALL)

    (after,) = sitting.groups
    assert after.serial > before.serial
    assert after.questions[0].seat == before.questions[0].seat == 1
    assert (after.clock, after.lands) == (sitting.state.step, None)


def test_live_leave_restarts_the_turn_and_makes_callers_wait() -> None:
    """The window keeps its serial and its clock."""
    sitting = start_game(*FOUR)
    sitting.play(0, "KS", "K")
    turn, window = sitting.groups

    sitting.leave(3)

    turn_after, window_after = sitting.groups
    assert turn_after.serial > turn.serial
    assert turn_after.clock == sitting.state.step
    assert turn_after.lands == turn.lands
    assert (window_after.serial, window_after.clock) == (window.serial, window.clock)
    assert window_after.earliest == sitting.state.step


def test_sealed_leave_of_another_seat_keeps_the_turn_with_a_fresh_clock() -> None:
    """The prompt keeps its id and its time restarts."""
    sitting = start_game(*FOUR, sealed=True)
    sitting.play(0, "KS", "K")
    sitting.close_window()
    before = sitting.group("turn")

    sitting.leave(3)

    after = sitting.group("turn")
    assert after.serial == before.serial
    assert after.questions == before.questions
    assert after.clock == sitting.state.step > before.clock


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
        sitting = start_game("KS 4D 5S", "QS 9D", "2C 7C", "AC AD", sealed=sealed)
        sitting.play(0, laid, "K")
        sitting.leave(3)
        sitting.call(2)
        asked.append(sitting.groups)

    assert asked[0] == asked[1]


def test_no_prompts_are_open_after_the_end() -> None:
    """No group is open."""
    sitting = start_game("KS", "QS 9D")
    sitting.leave(1)

    assert sitting.groups == ()
