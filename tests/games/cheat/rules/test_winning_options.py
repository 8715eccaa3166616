"""Objectives and how a win becomes final: objectives, honest_win, win_resets_trick (spec A8, A10)."""

from typing import Any

import pytest

from arena.games.cheat.rules.actions import BELIEVE, DECLINE, PASS
from arena.games.cheat.rules.events import HandChecked, TrickEnded
from tests.games.cheat.rules.game_driver import start_game

STYLES = pytest.mark.parametrize("sealed", [False, True])
REST = ("QS 9D", "2C 7C", "AC AD")


# ---- first_out_wins


@STYLES
def test_first_one_out_wins_after_a_final_window(sealed: bool) -> None:
    """The number of active seats does not matter; all that stayed are second, leavers behind them."""
    driver = start_game("KS", *REST, objective="first_out_wins", sealed=sealed)
    driver.leave(3)
    driver.play(0, "KS", "K")
    assert driver.facts["final_window"]
    assert driver.facts["to_move"] is None

    driver.close_window()

    assert driver.facts["places"] == {"0": 1, "1": 2, "2": 2, "3": 4}
    assert driver.outcome.termination == "finished"


@STYLES
def test_last_seat_that_stays_wins(sealed: bool) -> None:
    """This holds under every objective except the one that only names a loser."""
    for objective, place in (("first_out_wins", 1), ("places", 1), ("last_in_loses", 1)):
        driver = start_game("KS 4D", "QS 9D", objective=objective, sealed=sealed)

        driver.leave(1)

        assert driver.facts["places"] == {"0": place, "1": 2}


@STYLES
def test_caught_lie_continues_a_first_out_game(sealed: bool) -> None:
    """The next mover is the same as after any call."""
    driver = start_game("4D", *REST, objective="first_out_wins", success_next="after_caller", sealed=sealed)
    driver.play(0, "4D", "K")

    driver.call(2)

    assert not driver.facts["over"]
    assert driver.facts["to_move"] == 3


# ---- last_in_loses


@STYLES
def test_all_that_go_out_share_the_first_place(sealed: bool) -> None:
    """The last one with cards is last."""
    driver = start_game("KS", "QS", "2C 7C", objective="last_in_loses", sealed=sealed)
    driver.play(0, "KS", "K")
    if sealed:
        driver.close_window()
    driver.play(1, "QS", "Q")
    assert driver.facts["final_window"]

    driver.close_window()

    assert driver.facts["places"] == {"0": 1, "1": 1, "2": 3}


@STYLES
def test_pending_win_counts_as_out_when_the_last_holder_leaves(sealed: bool) -> None:
    """Leavers take the worst free place."""
    driver = start_game("KS", "QS 9D", objective="last_in_loses", sealed=sealed)
    driver.play(0, "KS", "K")

    driver.leave(1)

    assert driver.facts["places"] == {"0": 1, "1": 2}


# ---- the guard

GUARD = [
    # objective, hands, places after seat 0 has played one card
    ("first_out_wins", ("KS 4D", "QS 9D 8C", "2C 7C"), {"0": 1, "1": 2, "2": 2}),
    ("first_out_wins", ("KS 4D 5D", "QS 9D", "2C 7C 8C"), {"0": 1, "1": 1, "2": 2}),
    ("last_in_loses", ("KS 4D", "QS 9D 8C", "2C 7C"), {"0": 1, "1": 3, "2": 1}),
    ("last_in_loses", ("KS 4D", "QS 9D", "2C 7C"), {"0": 1, "1": 3, "2": 3}),
    ("last_in_loses", ("KS 4D 5D", "QS 9D", "2C 7C"), {"0": 3, "1": 3, "2": 3}),
    ("first_out_wins", ("KS", "QS 9D", "2C 7C"), {"0": 1, "1": 2, "2": 2}),
    ("last_in_loses", ("KS", "QS 9D", "2C 7C 8C"), {"0": 1, "1": 1, "2": 3}),
]


@pytest.mark.parametrize(("objective", "hands", "places"), GUARD)
@STYLES
def test_guard_ranks_by_the_objective(
    objective: str, hands: tuple[str, ...], places: dict[str, int], sealed: bool
) -> None:
    """Fewest cards first and all others second; or most cards last and all others first."""
    driver = start_game(*hands, objective=objective, max_turns=1, sealed=sealed)
    driver.play(0, "KS", "K")

    driver.close_window()

    assert driver.facts["places"] == places


# ---- honest_win


@STYLES
@pytest.mark.parametrize("laid", ["KS", "JK"])
def test_true_last_move_wins_at_once(laid: str, sealed: bool) -> None:
    """No seat gets a prompt or sees a card."""
    driver = start_game(laid, *REST, honest_win=True, sealed=sealed, check="public+")

    driver.play(0, laid, "K")

    assert driver.facts["places"] == {"0": 1}
    assert driver.facts["to_move"] == 1
    assert [group.kind for group in driver.groups] == ["turn"]
    assert driver.facts["result"] == {"kind": "final_check", "success": True, "taker": None}
    assert driver.facts["shown"] == {"0": [], "1": [], "2": [], "3": []}


@STYLES
def test_false_last_move_takes_the_pile_and_the_next_seat_leads(sealed: bool) -> None:
    """No call is needed, and any rank may be claimed then."""
    driver = start_game("4D", *REST, pile="5C", honest_win=True, sealed=sealed)
    driver.play(0, "4D", "K")

    assert driver.facts["hands"]["0"] == ["4D", "5C"]
    assert driver.facts["places"] == {}
    assert driver.facts["to_move"] == 1
    assert driver.facts["trick_start"]
    assert sum(isinstance(event, TrickEnded) for event in driver.events) == 1


@STYLES
def test_false_last_move_does_not_reset_the_rotation(sealed: bool) -> None:
    """The next seat has to claim the next rank."""
    driver = start_game("4D", *REST, honest_win=True, rank_mode="rotation", sealed=sealed)

    driver.play(0, "4D", "A")

    assert driver.facts["required_rank"] == "2"
    assert isinstance(driver.events[-1], TrickEnded)
    assert any(isinstance(event, HandChecked) for event in driver.events)


@STYLES
def test_under_count_lies_a_wrong_number_is_no_honest_win(sealed: bool) -> None:
    """Two kings are claimed as one."""
    driver = start_game("KS KD", *REST, honest_win=True, count_lies=True, sealed=sealed)

    driver.play(0, "KS KD", "K", 1)

    assert driver.facts["hands"]["0"] == ["KD", "KS"]


# ---- win_resets_trick

RESET: dict[str, Any] = {"win_resets_trick": True}


@STYLES
def test_win_starts_a_new_trick_with_the_seat_after_the_winner(sealed: bool) -> None:
    """This follows a final window; the pile stays."""
    driver = start_game("KS", *REST, sealed=sealed, **RESET)
    driver.play(0, "KS", "K")
    assert driver.facts["final_window"]

    driver.close_window()

    assert driver.facts["places"] == {"0": 1}
    assert driver.facts["to_move"] == 1
    assert driver.facts["trick_start"]
    assert driver.facts["pile"] == ["KS"]


@STYLES
def test_win_by_a_wrong_call_overrides_the_next_mover(sealed: bool) -> None:
    """The caller takes the pile, the seat after the winner leads."""
    driver = start_game("KS", *REST, sealed=sealed, failure_next="after_caller", **RESET)
    driver.play(0, "KS", "K")

    driver.call(2)

    assert driver.facts["to_move"] == 1
    assert driver.facts["trick_start"]
    assert driver.facts["hands"]["2"] == ["2C", "7C", "KS"]


def test_win_by_belief_resets_too() -> None:
    """So does the win of a liar."""
    driver = start_game("4D", *REST, believe=True, **RESET)
    driver.play(0, "4D", "K")

    driver.act(3, BELIEVE)

    assert driver.facts["places"] == {"0": 1}
    assert (driver.facts["to_move"], driver.facts["trick_start"]) == (1, True)


def test_checked_or_open_win_resets_too() -> None:
    """The pile disappears if it is banished with its trick."""
    checked = start_game("KS", *REST, honest_win=True, banish_on_new_trick=True, **RESET)
    opened = start_game("KS", *REST, opening_face_up=True, **RESET)
    for driver in (checked, opened):
        driver.play(0, "KS", "K")

        assert (driver.facts["to_move"], driver.facts["trick_start"]) == (1, True)
    assert checked.facts["banished"] == ["KS"]
    assert opened.facts["pile"] == ["KS"]


@STYLES
def test_caught_liar_resets_nothing(sealed: bool) -> None:
    """The trick continues where it was."""
    driver = start_game("4D", *REST, sealed=sealed, **RESET)
    driver.play(0, "4D", "K")

    driver.call(3)

    assert (driver.facts["to_move"], driver.facts["trick_start"]) == (1, False)


def test_trick_reset_clears_passes() -> None:
    """Seat 2 had passed in the trick that the win ended."""
    driver = start_game("4D", "KS", "2C 7C", "AC AD", start=0, passing="pass_trick", sealed=True, **RESET)
    driver.play(0, "4D", "K")
    for seat in (1, 2, 3):
        driver.act(seat, DECLINE)
    assert driver.facts["places"] == {"0": 1}
    driver.play(1, "KS", "K")
    for seat in (2, 3):
        driver.act(seat, DECLINE)

    assert driver.facts["places"] == {"0": 1, "1": 2}
    assert driver.facts["to_move"] == 2
    assert driver.act(2, PASS) == "pass_not_allowed"
