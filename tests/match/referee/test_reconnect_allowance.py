"""Lost connections stop a seat's clock while its reconnect allowance lasts; its deadline moves by the time used.

The reconnect allowance is 10 s per match by default; sealed turns take 2 s.
"""

import pytest

from tests.match.referee.driver import MS, RAID, DecisionStatus, MatchDriver, S, start_match
from tests.support.prepared_cheat import live_cheat, sealed_cheat


def purse(game: MatchDriver, entrant: int) -> int:
    return game.referee.entrant_records[entrant].clock.allowance_us


def test_reconnected_seat_keeps_prompt_id_and_deadline_moves_by_allowance_used():
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
def test_moved_deadline_is_enforced_like_any_other(at, status):
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)
    game.reconnect(0, 1700 * MS)

    given = game.send(0, "aim 2", at, prompt=1)

    assert given.status is status
    assert given.late_us == (0 if status is DecisionStatus.ACCEPTED else 1)


def test_seat_that_returns_after_its_old_deadline_still_has_time():
    game = start_match(RAID)
    game.disconnect(0, 1 * S)

    game.reconnect(0, 9 * S)

    assert game.prompt(0).deadline == 10 * S
    assert game.send(0, "aim 2", 10 * S).status is DecisionStatus.ACCEPTED


def test_seat_that_stays_away_gets_automatic_move_when_allowance_runs_out():
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)

    assert game.run_until(12 * S - 1) == []
    game.run_until(12 * S)

    assert game.narration()[-1] == "seat 0 raids seat 1"
    assert purse(game, 0) == 0
    assert game.strikes(0) == {"missing": 1}


def test_lost_seat_without_reconnect_allowance_keeps_the_common_deadline():
    game = start_match(RAID, options={"rounds": 20})
    game.disconnect(0, 500 * MS)
    game.run_until(12 * S)
    game.send(1, "allow", 12 * S)

    assert game.asked_entrants("turn") == [0]
    assert game.due == 14 * S


def test_one_allowance_covers_several_losses():
    """It holds 2 s: the first loss takes 0.5 s, the second 0.8 s, and 0.7 s remain."""
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


def test_loss_longer_than_the_allowance_uses_all_of_it():
    game = start_match(RAID, reconnect_grace_ms=1_000)
    game.disconnect(0, 500 * MS)

    game.reconnect(0, 1900 * MS)

    assert game.prompt(0).deadline == 3 * S
    assert purse(game, 0) == 0


def test_loss_before_the_prompt_counts_from_the_prompt():
    game = start_match(RAID)
    game.disconnect(1, 0)
    game.send(0, "aim 1", 1500 * MS)
    assert game.prompt(1).deadline == 2500 * MS

    game.reconnect(1, 2 * S)

    assert game.prompt(1).deadline == 3 * S
    assert purse(game, 1) == 9500 * MS


def test_loss_without_an_open_prompt_costs_nothing():
    game = start_match(RAID)
    game.disconnect(1, 0)
    game.reconnect(1, 1900 * MS)

    game.send(0, "aim 1", 2 * S)

    assert purse(game, 1) == 10 * S
    assert game.prompt(1).deadline == 3 * S


def test_loss_after_own_answer_costs_nothing():
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"))
    game.send(0, "1K 4D", 0)
    game.send(1, "decline", 0)
    game.disconnect(1, 100 * MS)
    game.run_until(S)

    game.reconnect(1, 1100 * MS)

    assert purse(game, 1) == 10 * S - 100 * MS, "the turn prompt that came at 1 s stood still for 0.1 s"


def test_repeated_loss_or_return_changes_nothing():
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)
    game.disconnect(0, 900 * MS)
    game.reconnect(0, 1500 * MS)
    game.reconnect(0, 1800 * MS)

    assert game.prompt(0).deadline == 3 * S


def test_window_waits_for_a_lost_seat_without_giving_others_time():
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


def test_loss_after_own_deadline_has_no_effect():
    """The window is still open for Cid alone when Bob, whose time has ended, is lost too."""
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"), reconnect_grace_ms=1_000)
    game.send(0, "1K 4D", 0)
    game.disconnect(2, 400 * MS)
    game.disconnect(1, 1100 * MS)

    assert game.due == 2 * S
    assert game.reconnect(1, 1200 * MS) == []
    assert purse(game, 1) == S
    assert game.prompt(1).deadline == S


def test_fixed_window_takes_no_answer_from_a_lost_seat_after_its_end():
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


def test_resumed_prompt_of_a_fixed_window_keeps_its_deadline():
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"), fixed_window=True)
    game.send(0, "1K 4D", 0)
    game.disconnect(2, 400 * MS)
    game.reconnect(2, 900 * MS)

    assert game.prompt(2).deadline == S


def test_without_allowance_nothing_waits():
    game = start_match(RAID, reconnect_grace_ms=0)
    game.disconnect(0, 500 * MS)

    game.run_until(2 * S)

    assert game.narration()[-1] == "seat 0 raids seat 1"


def test_live_call_prompt_without_deadline_uses_no_allowance():
    """Nothing waits for Cid's call, so his absence uses no allowance."""
    game = start_match(live_cheat("4D KS 5S", "QS 9D 6H", "2C 7C 8H"), style="live")
    game.send(0, "1K 4D", 0)
    game.disconnect(2, 100 * MS)
    game.send(1, "1Q QS", 5 * S, kind="turn")

    game.reconnect(2, 5 * S)

    assert purse(game, 2) == 10 * S


def test_fresh_turn_time_is_not_extended_by_an_earlier_loss():
    """Bob is lost for half a second; then Dot leaves and his turn time restarts: 2 s, not 2.5 s."""
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C", "AC AD", start=1), 4)
    game.disconnect(1, 500 * MS)
    game.reconnect(1, 1000 * MS)
    assert game.prompt(1).deadline == 2500 * MS

    game.leave(3, 1500 * MS)

    assert game.prompt(1).deadline == 3500 * MS


def test_lost_seat_may_leave():
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)

    game.leave(0, 1 * S)

    assert game.asked_entrants("turn") == [1]


def test_allowance_is_per_match_not_per_game():
    game = start_match(RAID, 2, preset="short", games=2)
    game.disconnect(0, 1 * S)
    game.reconnect(0, 2 * S)
    game.play_game_out()

    assert len(game.referee.results) == 1
    assert purse(game, 0) == 9 * S
