"""Bots that do not answer: strikes, automatic moves, removal after too many, windows that stop waiting (A11, A12.4)."""

from collections.abc import Callable
from typing import Any

import pytest

from arena.match.game import Seat
from arena.match.referee.facts import StrikeIssued, StrikeKind
from arena.match.referee.orders import Ask, Withdraw
from arena.match.referee.scalars import EntrantIndex, PromptId
from tests.match.referee.driver import MS, RAID, DecisionStatus, MatchDriver, S, start_match
from tests.support.prepared_cheat import sealed_cheat
from tests.support.toy_game import Aim, AimOptions

HANDS = ("KS 4D 5D 6D 7D", "QS 9D TD JD 2D", "2C 7C 8C 9C 3C")
LONG = {"rounds": 20}


def sleeper(entrant: int, kind: str = "") -> Callable[[int, str], bool]:
    """Who sleeps, through which kind of prompts (default: all)."""
    return lambda asked, asked_kind: asked == entrant and kind in ("", asked_kind)


def automatic_moves(game: MatchDriver, entrant: int) -> int:
    """Count the automatic moves made for the entrant."""
    return sum(struck.automatic is not None for struck in game.announced_strikes(entrant))


# ---- turns


def test_missed_turn_is_one_strike_and_names_automatic_move_to_its_own_bot_only():
    game = start_match(RAID)

    game.run_until(2 * S)

    assert game.announced_strikes(0) == [
        StrikeIssued(EntrantIndex(0), StrikeKind.MISSING, PromptId(1), "", Aim(Seat(1)))
    ]
    assert Withdraw(EntrantIndex(0), PromptId(1)) in game.orders
    assert not any("Strike" in repr(heard) for heard in game.orders_to(1))


def test_others_see_no_difference_between_automatic_and_chosen_move():
    """If they did, a time-out would serve as an alibi (A11)."""
    chosen, automatic = start_match(RAID), start_match(RAID)

    chosen.send(0, "aim 1", 2 * S)
    automatic.run_until(2 * S)

    assert chosen.orders_to(1) == automatic.orders_to(1)
    assert chosen.orders_to(2) == automatic.orders_to(2)


def test_seat_leaves_after_third_consecutive_automatic_move_lands():
    game = start_match(RAID, max_auto_moves=3, options=LONG)

    game.play_until(lambda: game.referee.entrant_records[0].gone, sleeper(0, "turn"))

    assert game.narration()[-2:] == ["seat 0 raids seat 1", "seat 0 leaves, place 3"]
    assert game.strikes(0) == {"missing": 3, "gone": 1}
    assert game.referee.current_game is not None


def test_automatic_move_that_leads_to_dice_lands_before_seat_leaves():
    """No seat leaves while a roll is pending: Ann's last automatic move is a take that ends her turn."""
    game = start_match(RAID, 2, max_auto_moves=2, options=LONG)

    game.play_until(lambda: game.referee.entrant_records[0].gone, sleeper(0))

    assert game.narration()[-3:] == ["seat 0 takes 0 of seat 1", "seat 0 leaves, place 2", "points: 0 6"]
    assert game.referee.results[0].places == (2, 1)


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_automatic_move_limit_is_configurable(limit):
    game = start_match(RAID, max_auto_moves=limit, options=LONG)

    game.play_until(lambda: automatic_moves(game, 0) == limit - 1, sleeper(0))
    assert not game.referee.entrant_records[0].gone
    game.play_until(lambda: automatic_moves(game, 0) == limit, sleeper(0))

    assert game.referee.entrant_records[0].gone


def test_without_limit_no_seat_is_removed_for_absence():
    game = start_match(RAID, max_auto_moves=0, options=LONG)

    game.run_until(1000 * S)

    assert game.referee.ended is not None
    assert game.referee.results[0].termination == "cups_lifted"
    assert [game.strikes(entrant).get("gone") for entrant in range(3)] == [None] * 3


def test_own_move_resets_automatic_move_count():
    """Ann misses two turns, plays one and misses two more: she stays in for all five."""
    game = start_match(RAID, max_auto_moves=3, options=LONG)
    game.play_until(lambda: automatic_moves(game, 0) == 2, sleeper(0, "turn"))
    game.play_until(lambda: game.asked_entrants("turn") == [0])
    game.answer(0, game.prompt(0))

    game.play_until(lambda: automatic_moves(game, 0) == 4, sleeper(0, "turn"))

    assert not game.referee.entrant_records[0].gone


def test_window_answers_do_not_reset_automatic_move_count():
    """Bob declines every window and misses every turn: he is removed after the third automatic move."""
    game = start_match(sealed_cheat(*HANDS), max_auto_moves=3)

    game.play_until(lambda: automatic_moves(game, 1) == 3, sleeper(1, "turn"))

    assert game.referee.entrant_records[1].decision_count > 3
    assert game.strikes(1) == {"missing": 3, "gone": 1}


# ---- windows


def test_missed_window_is_a_decline_and_one_strike_without_automatic_move():
    game = start_match(sealed_cheat(*HANDS))
    game.send(0, "1K 4D", 0)
    game.send(1, "decline", 0)

    game.run_until(S)

    assert game.announced_strikes(2) == [StrikeIssued(EntrantIndex(2), StrikeKind.MISSING, PromptId(2))]
    assert game.referee.entrant_records[2].auto_in_row == 0
    assert game.asked_entrants("turn") == [1]


def test_after_three_missed_windows_the_fourth_closes_once_others_have_answered():
    """Ann and Bob answer at once; Cid sleeps, and his own (automatic) move, the third here, opens him no window."""
    game = start_match(sealed_cheat(*HANDS))
    lengths: list[int] = []

    for _ in range(5):
        game.play_until(lambda: game.asked_entrants("window"), sleeper(2))
        opened = game.clock
        game.play_until(lambda: not game.asked_entrants("window"), sleeper(2))
        lengths.append(game.clock - opened)

    assert lengths == [S, S, 0, S, 0]


def match_with_bob_asleep(missed: int, **pace: Any) -> MatchDriver:
    """Start a match in which Bob has missed `missed` answers in a row and Ann is to aim again."""
    game = start_match(RAID, 2, options=LONG, max_auto_moves=0, **pace)
    game.play_until(lambda: game.referee.entrant_records[1].missed_in_row == missed and let_ann_aim(game), sleeper(1))
    return game


def let_ann_aim(game: MatchDriver) -> bool:
    return game.asked_entrants() == [0] and isinstance(game.prompt(0).options, AimOptions)


@pytest.mark.parametrize(("missed", "waits"), [(0, True), (2, True), (3, False), (4, False)])
def test_seat_that_missed_three_in_a_row_is_prompted_but_not_waited_for(missed, waits):
    game = match_with_bob_asleep(missed)

    told = game.orders_to(1)
    game.send(0, "aim 1")

    assert (game.asked_entrants() == [1]) is waits
    asked = [order for order in game.orders_to(1)[len(told) :] if isinstance(order, Ask)]
    assert [order.prompt.kind for order in asked] == ["reaction"], "asked in any case"


def test_seat_that_is_not_waited_for_still_gets_a_strike():
    """A missing answer always counts as a fault (A12.4)."""
    game = match_with_bob_asleep(3)
    before = game.strikes(1)["missing"]

    game.send(0, "aim 1")

    assert game.strikes(1)["missing"] == before + 1


def test_automatic_moves_do_not_wake_a_sleeper_but_any_answer_does():
    game = match_with_bob_asleep(3)

    game.play_until(lambda: game.asked_entrants() == [1])
    assert game.prompt(1).kind == "turn"
    game.answer(1, game.prompt(1))
    game.play_until(lambda: let_ann_aim(game))
    game.send(0, "aim 1")

    assert game.asked_entrants() == [1]


def test_refused_answer_does_not_wake_a_sleeper():
    game = match_with_bob_asleep(3)

    game.send(1, "aim 0", prompt=4_000)
    game.send(0, "aim 1")

    assert game.asked_entrants() == [0]


def test_seat_that_is_not_waited_for_may_answer_before_the_others():
    game = start_match(sealed_cheat(*HANDS))
    game.referee.entrant_records[2].missed_in_row = 3
    game.send(0, "1K 4D", 0)

    given = game.send(2, "call", 1)
    game.send(1, "decline", 2)

    assert given.status is DecisionStatus.ACCEPTED
    assert game.state.sizes == (5, 5, 5)
    assert game.referee.entrant_records[2].missed_in_row == 0


def test_late_answer_to_window_that_did_not_wait_is_one_fault_only():
    """The answer was missing when the window closed; its late arrival adds no second fault."""
    game = start_match(sealed_cheat(*HANDS))
    game.referee.entrant_records[2].missed_in_row = 3
    game.send(0, "1K 4D", 0)
    window = game.prompt(2).id
    game.send(1, "decline", 2)

    assert game.send(2, "call", 5, prompt=window).reason == "late"
    assert game.strikes(2) == {"missing": 1}


# ---- fixed windows


def test_fixed_windows_always_last_their_full_time():
    game = start_match(sealed_cheat(*HANDS), fixed_window=True)
    game.send(0, "1K 4D", 0)
    game.send(1, "decline", 10 * MS)
    game.send(2, "call", 20 * MS)

    assert game.asked_entrants() == []
    game.run_until(S - 1)
    assert game.state.sizes == (4, 5, 5)
    game.run_until(S)
    assert game.state.sizes == (5, 5, 5)
    assert game.asked_entrants("turn") == [1]


def test_fixed_windows_do_not_close_early_for_a_sleeper():
    game = start_match(sealed_cheat(*HANDS), fixed_window=True)
    game.referee.entrant_records[1].missed_in_row = game.referee.entrant_records[2].missed_in_row = 3

    game.send(0, "1K 4D", 0)

    assert game.asked_entrants() == [1, 2]
    assert game.due == S
