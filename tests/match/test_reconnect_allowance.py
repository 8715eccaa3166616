"""Lost connections: a seat's clock stands still until its purse is empty, and its deadline moves by what was taken.

The purse holds 10 s a match by default; sealed turns take 2 s.
"""

import pytest

from tests.match.driver import MS, RAID, DecisionStatus, MatchDriver, S, start_match
from tests.support.prepared_cheat import live_cheat, sealed_cheat


def purse(game: MatchDriver, entrant: int) -> int:
    return game.referee.entrant_records[entrant].reconnect_left_us


def test_back_in_time_the_prompt_has_its_id_and_the_deadline_moved_by_exactly_what_was_taken():
    game = start_match(RAID)
    before = game.prompt(0)
    game.disconnect(0, 500 * MS)

    game.reconnect(0, 1700 * MS)

    after = game.prompt(0)
    assert (after.id, after.deadline) == (before.id, 3200 * MS)
    assert purse(game, 0) == 8800 * MS
    assert game.orders_to(0)[-1].prompt == after


@pytest.mark.parametrize(
    ("at", "status"), [(3200 * MS, DecisionStatus.ACCEPTED), (3200 * MS + 1, DecisionStatus.REFUSED)]
)
def test_the_moved_deadline_is_a_deadline_like_any_other(at, status):
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)
    game.reconnect(0, 1700 * MS)

    given = game.send(0, "aim 2", at, prompt=1)

    assert given.status is status
    assert given.late_us == (0 if status is DecisionStatus.ACCEPTED else 1)


def test_a_seat_that_comes_back_after_its_old_deadline_still_has_its_time():
    game = start_match(RAID)
    game.disconnect(0, 1 * S)

    game.reconnect(0, 9 * S)

    assert game.prompt(0).deadline == 10 * S
    assert game.send(0, "aim 2", 10 * S).status is DecisionStatus.ACCEPTED


def test_who_does_not_come_back_gets_the_automatic_move_when_the_purse_is_empty():
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)

    assert game.run_until(12 * S - 1) == []
    game.run_until(12 * S)

    assert game.narration()[-1] == "seat 0 raids seat 1"
    assert purse(game, 0) == 0
    assert game.strikes(0) == {"missing": 1}


def test_with_an_empty_purse_a_lost_seat_has_the_time_of_everybody():
    game = start_match(RAID, options={"rounds": 20})
    game.disconnect(0, 500 * MS)
    game.run_until(12 * S)
    game.send(1, "allow", 12 * S)

    assert game.asked_entrants("turn") == [0]
    assert game.due == 14 * S


def test_one_purse_lasts_for_several_losses():
    """2 s in it: 0.5 s go at first, then 0.8 s, and 0.7 s are left for good."""
    game = start_match(RAID, reconnect_grace_ms=2_000)
    game.disconnect(0, 500 * MS)
    game.reconnect(0, 1000 * MS)
    game.disconnect(0, 1200 * MS)
    game.reconnect(0, 2000 * MS)
    assert game.prompt(0).deadline == 3300 * MS
    assert purse(game, 0) == 700 * MS

    game.disconnect(0, 2100 * MS)

    assert game.due == 4000 * MS
    game.run_until(4 * S)
    assert game.narration()[-1] == "seat 0 raids seat 1"
    assert purse(game, 0) == 0


def test_a_loss_longer_than_the_purse_takes_what_is_in_it():
    game = start_match(RAID, reconnect_grace_ms=1_000)
    game.disconnect(0, 500 * MS)

    game.reconnect(0, 1900 * MS)

    assert game.prompt(0).deadline == 3 * S
    assert purse(game, 0) == 0


def test_a_loss_before_the_prompt_counts_from_the_prompt_on():
    game = start_match(RAID)
    game.disconnect(1, 0)
    game.send(0, "aim 1", 1500 * MS)
    assert game.prompt(1).deadline == 2500 * MS

    game.reconnect(1, 2 * S)

    assert game.prompt(1).deadline == 3 * S
    assert purse(game, 1) == 9500 * MS


def test_a_loss_while_nothing_is_asked_costs_nothing():
    game = start_match(RAID)
    game.disconnect(1, 0)
    game.reconnect(1, 1900 * MS)

    game.send(0, "aim 1", 2 * S)

    assert purse(game, 1) == 10 * S
    assert game.prompt(1).deadline == 3 * S


def test_a_loss_after_ones_answer_costs_nothing():
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"))
    game.send(0, "1K 4D", 0)
    game.send(1, "decline", 0)
    game.disconnect(1, 100 * MS)
    game.run_until(S)

    game.reconnect(1, 1100 * MS)

    assert purse(game, 1) == 10 * S - 100 * MS, "the turn prompt that came at 1 s stood still for 0.1 s"


def test_being_lost_twice_or_back_twice_is_nothing_new():
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)
    game.disconnect(0, 900 * MS)
    game.reconnect(0, 1500 * MS)
    game.reconnect(0, 1800 * MS)

    assert game.prompt(0).deadline == 3 * S


def test_a_window_waits_for_a_lost_seat_and_the_others_gain_nothing_by_it():
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"))
    game.send(0, "1K 4D", 0)
    window = game.prompt(1)
    game.disconnect(2, 400 * MS)

    late = game.send(1, "call", S + 1, prompt=window.id)
    game.reconnect(2, 1400 * MS)

    assert late.reason == "late"
    assert game.prompt(1).deadline == S
    assert game.prompt(2).deadline == 2 * S
    assert game.due == 2 * S
    assert game.send(2, "call", 2 * S).status is DecisionStatus.ACCEPTED


def test_a_loss_after_ones_deadline_neither_costs_nor_gains_anything():
    """The window is still open for Cid alone when Bob, whose time is over, is lost too."""
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"), reconnect_grace_ms=1_000)
    game.send(0, "1K 4D", 0)
    game.disconnect(2, 400 * MS)
    game.disconnect(1, 1100 * MS)

    assert game.due == 2 * S
    assert game.reconnect(1, 1200 * MS) == []
    assert purse(game, 1) == S
    assert game.prompt(1).deadline == S


def test_a_fixed_window_takes_no_answer_of_a_lost_seat_after_its_end():
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"), fixed_window=True)
    game.send(0, "1K 4D", 0)
    game.disconnect(2, 400 * MS)

    assert game.send(2, "call", S + 1, is_read_first=True).reason == "late"


def test_fixed_windows_never_wait():
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"), fixed_window=True)
    game.send(0, "1K 4D", 0)
    game.disconnect(2, 400 * MS)

    game.run_until(S)

    assert game.asked_entrants("turn") == [1]
    game.reconnect(2, 1500 * MS)
    assert purse(game, 2) == 10 * S


def test_with_fixed_windows_a_prompt_taken_up_again_has_its_old_deadline():
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"), fixed_window=True)
    game.send(0, "1K 4D", 0)
    game.disconnect(2, 400 * MS)
    game.reconnect(2, 900 * MS)

    assert game.prompt(2).deadline == S


def test_without_a_purse_nothing_waits():
    game = start_match(RAID, reconnect_grace_ms=0)
    game.disconnect(0, 500 * MS)

    game.run_until(2 * S)

    assert game.narration()[-1] == "seat 0 raids seat 1"


def test_a_live_call_prompt_without_a_deadline_costs_a_lost_seat_nothing():
    """Nothing waits for Cid's call, so nothing is taken while he is gone."""
    game = start_match(live_cheat("4D KS 5S", "QS 9D 6H", "2C 7C 8H"), style="live")
    game.send(0, "1K 4D", 0)
    game.disconnect(2, 100 * MS)
    game.send(1, "1Q QS", 5 * S, kind="turn")

    game.reconnect(2, 5 * S)

    assert purse(game, 2) == 10 * S


def test_fresh_time_for_a_turn_is_not_lengthened_by_an_earlier_loss():
    """Bob was lost for half a second; then Dot leaves and his turn time begins anew: 2 s, not 2.5 s."""
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C", "AC AD", start=1), 4)
    game.disconnect(1, 500 * MS)
    game.reconnect(1, 1000 * MS)
    assert game.prompt(1).deadline == 2500 * MS

    game.leave(3, 1500 * MS)

    assert game.prompt(1).deadline == 3500 * MS


def test_a_lost_seat_may_leave():
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)

    game.leave(0, 1 * S)

    assert game.asked_entrants("turn") == [1]


def test_the_purse_is_a_matchs_not_a_games():
    game = start_match(RAID, 2, preset="short", games=2)
    game.disconnect(0, 1 * S)
    game.reconnect(0, 2 * S)
    game.play_game_out()

    assert len(game.referee.results) == 1
    assert purse(game, 0) == 9 * S
