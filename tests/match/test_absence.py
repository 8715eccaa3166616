"""Who does not answer: strikes, automatic moves, leaving by too many of them, windows that do not wait (A11, A12.4)."""

from collections.abc import Callable
from typing import Any

import pytest

from arena.match.facts import FaultKind, Struck
from arena.match.orders import Ask, Withdraw
from arena.rules.game import Seat
from tests.match.driver import MS, RAID, Bench, S, Status, begun
from tests.support.prepared_cheat import sealed_cheat
from tests.support.toy_game import Aim, AimOptions

HANDS = ("KS 4D 5D 6D 7D", "QS 9D TD JD 2D", "2C 7C 8C 9C 3C")
LONG = {"rounds": 20}


def sleeper(entrant: int, kind: str = "") -> Callable[[int, str], bool]:
    """Who sleeps, through which kind of prompts (default: all)."""
    return lambda asked, asked_kind: asked == entrant and kind in ("", asked_kind)


def automatic_moves(game: Bench, entrant: int) -> int:
    """How many automatic moves have been made for the entrant."""
    return sum(struck.automatic is not None for struck in game.struck(entrant))


# ---- turns


def test_a_missed_turn_is_one_strike_that_names_the_automatic_move_to_its_own_bot_alone():
    game = begun(RAID)

    game.until(2 * S)

    assert game.struck(0) == [Struck(0, FaultKind.MISSING, 1, "", Aim(Seat(1)))]
    assert Withdraw(0, 1) in game.orders
    assert not any("Strike" in repr(heard) for heard in game.heard_by(1))


def test_what_others_are_told_of_an_automatic_move_is_what_they_are_told_of_a_chosen_one():
    """Otherwise time-outs become an alibi (A11)."""
    chosen, automatic = begun(RAID), begun(RAID)

    chosen.send(0, "aim 1", 2 * S)
    automatic.until(2 * S)

    assert chosen.heard_by(1) == automatic.heard_by(1)
    assert chosen.heard_by(2) == automatic.heard_by(2)


def test_three_automatic_moves_in_a_row_and_the_seat_leaves_after_the_last_has_landed():
    game = begun(RAID, max_auto_moves=3, options=LONG)

    game.go_on(lambda: game.referee.conducts[0].gone, sleeper(0, "turn"))

    assert game.story()[-2:] == ["seat 0 raids seat 1", "seat 0 leaves, place 3"]
    assert game.strikes(0) == {"missing": 3, "gone": 1}
    assert game.referee.playing is not None


def test_an_automatic_move_that_leads_to_dice_lands_before_its_seat_leaves():
    """Nobody leaves while a die is in the air: Ann's last one is a take that ends her turn."""
    game = begun(RAID, 2, max_auto_moves=2, options=LONG)

    game.go_on(lambda: game.referee.conducts[0].gone, sleeper(0))

    assert game.story()[-3:] == ["seat 0 takes 0 of seat 1", "seat 0 leaves, place 2", "points: 0 6"]
    assert game.referee.results[0].places == (2, 1)


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_the_limit_of_automatic_moves_is_as_agreed(limit):
    game = begun(RAID, max_auto_moves=limit, options=LONG)

    game.go_on(lambda: automatic_moves(game, 0) == limit - 1, sleeper(0))
    assert not game.referee.conducts[0].gone
    game.go_on(lambda: automatic_moves(game, 0) == limit, sleeper(0))

    assert game.referee.conducts[0].gone


def test_with_no_limit_nobody_leaves_for_being_absent():
    game = begun(RAID, max_auto_moves=0, options=LONG)

    game.until(1000 * S)

    assert game.referee.ended is not None
    assert game.referee.results[0].termination == "cups_lifted"
    assert [game.strikes(entrant).get("gone") for entrant in range(3)] == [None] * 3


def test_an_own_move_starts_the_count_of_automatic_moves_anew():
    """Two missed, one made, two missed: five turns of Ann's, and she stays."""
    game = begun(RAID, max_auto_moves=3, options=LONG)
    game.go_on(lambda: automatic_moves(game, 0) == 2, sleeper(0, "turn"))
    game.go_on(lambda: game.asked("turn") == [0])
    game.answer(0, game.prompt(0))

    game.go_on(lambda: automatic_moves(game, 0) == 4, sleeper(0, "turn"))

    assert not game.referee.conducts[0].gone


def test_answers_to_windows_do_not_start_the_count_anew():
    """Bob declines every window and misses every turn: after the third automatic move he is gone."""
    game = begun(sealed_cheat(*HANDS), max_auto_moves=3)

    game.go_on(lambda: automatic_moves(game, 1) == 3, sleeper(1, "turn"))

    assert game.referee.conducts[1].decision_count > 3
    assert game.strikes(1) == {"missing": 3, "gone": 1}


# ---- windows


def test_a_missed_window_is_a_decline_and_one_strike_without_an_automatic_move():
    game = begun(sealed_cheat(*HANDS))
    game.send(0, "1K 4D", 0)
    game.send(1, "decline", 0)

    game.until(S)

    assert game.struck(2) == [Struck(2, FaultKind.MISSING, 2)]
    assert game.referee.conducts[2].auto_in_row == 0
    assert game.asked("turn") == [1]


def test_three_missed_windows_last_their_time_the_fourth_only_until_the_others_have_answered():
    """Ann and Bob answer at once, Cid sleeps, and is not asked about his own (automatic) move, the third one here."""
    game = begun(sealed_cheat(*HANDS))
    lengths: list[int] = []

    for _ in range(5):
        game.go_on(lambda: game.asked("window"), sleeper(2))
        opened = game.clock
        game.go_on(lambda: not game.asked("window"), sleeper(2))
        lengths.append(game.clock - opened)

    assert lengths == [S, S, 0, S, 0]


def asleep(missed: int, **pace: Any) -> Bench:
    """Bob has slept through so many raids of Ann's, and through his own turns; now Ann is to aim again."""
    game = begun(RAID, 2, options=LONG, max_auto_moves=0, **pace)
    game.go_on(lambda: game.referee.conducts[1].missed_in_row == missed and ann_aims(game), sleeper(1))
    return game


def ann_aims(game: Bench) -> bool:
    return game.asked() == [0] and isinstance(game.prompt(0).options, AimOptions)


@pytest.mark.parametrize(("missed", "waits"), [(0, True), (2, True), (3, False), (4, False)])
def test_after_three_missed_in_a_row_a_seat_is_asked_but_not_waited_for(missed, waits):
    game = asleep(missed)

    told = game.heard_by(1)
    game.send(0, "aim 1")

    assert (game.asked() == [1]) is waits
    asked = [order for order in game.heard_by(1)[len(told) :] if isinstance(order, Ask)]
    assert [order.prompt.kind for order in asked] == ["reaction"], "asked in any case"


def test_a_seat_that_is_not_waited_for_is_struck_all_the_same():
    """No answer is a fault (A12.4)."""
    game = asleep(3)
    before = game.strikes(1)["missing"]

    game.send(0, "aim 1")

    assert game.strikes(1)["missing"] == before + 1


def test_automatic_moves_do_not_wake_a_sleeper_but_an_answer_to_any_prompt_does():
    game = asleep(3)

    game.go_on(lambda: game.asked() == [1])
    assert game.prompt(1).kind == "turn"
    game.answer(1, game.prompt(1))
    game.go_on(lambda: ann_aims(game))
    game.send(0, "aim 1")

    assert game.asked() == [1]


def test_a_refused_answer_wakes_nobody():
    game = asleep(3)

    game.send(1, "aim 0", prompt=4_000)
    game.send(0, "aim 1")

    assert game.asked() == [0]


def test_a_seat_that_is_not_waited_for_may_still_answer_before_the_others_have():
    game = begun(sealed_cheat(*HANDS))
    game.referee.conducts[2].missed_in_row = 3
    game.send(0, "1K 4D", 0)

    given = game.send(2, "call", 1)
    game.send(1, "decline", 2)

    assert given.status is Status.ACCEPTED
    assert game.state.sizes == (5, 5, 5)
    assert game.referee.conducts[2].missed_in_row == 0


def test_a_slow_answer_to_a_window_that_did_not_wait_is_late_but_one_fault_only():
    """It was missing when the window closed; that it is on its way is no second fault."""
    game = begun(sealed_cheat(*HANDS))
    game.referee.conducts[2].missed_in_row = 3
    game.send(0, "1K 4D", 0)
    window = game.prompt(2).id
    game.send(1, "decline", 2)

    assert game.send(2, "call", 5, prompt=window).reason == "late"
    assert game.strikes(2) == {"missing": 1}


# ---- fixed windows


def test_with_fixed_windows_every_window_lasts_its_whole_time():
    game = begun(sealed_cheat(*HANDS), fixed_window=True)
    game.send(0, "1K 4D", 0)
    game.send(1, "decline", 10 * MS)
    game.send(2, "call", 20 * MS)

    assert game.asked() == []
    game.until(S - 1)
    assert game.state.sizes == (4, 5, 5)
    game.until(S)
    assert game.state.sizes == (5, 5, 5)
    assert game.asked("turn") == [1]


def test_fixed_windows_do_not_close_early_for_a_sleeper_either():
    game = begun(sealed_cheat(*HANDS), fixed_window=True)
    game.referee.conducts[1].missed_in_row = game.referee.conducts[2].missed_in_row = 3

    game.send(0, "1K 4D", 0)

    assert game.asked() == [1, 2]
    assert game.due == S
