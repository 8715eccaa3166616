"""Server stalls: everything that is due moves by the length of the stall, and no bot pays for it."""

import pytest

from tests.match.referee.driver import MS, RAID, DecisionStatus, S, start_match
from tests.support.prepared_cheat import live_cheat, sealed_cheat


@pytest.mark.parametrize(
    ("at", "status"), [(2700 * MS, DecisionStatus.ACCEPTED), (2700 * MS + 1, DecisionStatus.REFUSED)]
)
def test_stall_delays_a_turn_deadline(at, status):
    game = start_match(RAID)
    game.stall(1 * S, 700 * MS)

    assert game.send(0, "aim 2", at, prompt=1).status is status


def test_stall_delays_a_window_deadline():
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"))
    game.send(0, "1K 4D", 0)
    game.stall(500 * MS, 2 * S)

    assert game.due == 3 * S
    assert game.prompt(1).deadline == 3 * S


def test_stall_delays_guard_and_landing_of_a_live_move():
    game = start_match(live_cheat("4D KS 5S", "QS 9D 6H", "2C 7C 8H"), style="live")
    game.send(0, "1K 4D", 0)
    game.send(1, "1Q QS", 100 * MS, kind="turn")
    game.stall(200 * MS, 1 * S)

    assert game.prompt(2).earliest == 1750 * MS
    refused = game.send(2, "call", 1750 * MS - 1)
    assert (refused.reason, refused.retry_at) == ("too_early", 1750 * MS)
    assert game.run_until(4 * S - 1) == []
    game.run_until(4 * S)
    assert len(game.narration()) == 2


def test_waits_that_start_after_a_stall_but_count_from_an_earlier_move_are_delayed_too():
    """Ann moves at 0, the server stalls for a second, Dot leaves: Bob's new prompt lands at 4 s, not at 3 s."""
    game = start_match(live_cheat("4D KS 5S", "QS 9D 6H", "2C 7C 8H", "AC AD"), 4, "live")
    game.send(0, "1K 4D", 0)
    game.stall(200 * MS, 1 * S)

    game.leave(3, 1500 * MS)

    assert game.prompt(1, "turn").lands == 4 * S


def test_stall_uses_no_reconnect_allowance():
    """Lost at 0.5 s, a stall from 1 s to 3 s, back at 3.5 s: one second was lost."""
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)
    game.stall(1 * S, 2 * S)
    game.reconnect(0, 3500 * MS)

    assert game.referee.entrant_records[0].clock.allowance_us == 9 * S
    assert game.prompt(0).deadline == 5 * S


def test_stall_does_not_revive_a_deadline_that_had_passed():
    """The turn ended at 2 s; that it was not yet processed when the server stalled does not excuse a late answer."""
    game = start_match(RAID)
    game.stall(2 * S + 1, 1 * S, is_caught_up=False)

    assert game.due == 2 * S
    assert game.send(0, "aim 1", 2 * S + 2, prompt=1, is_read_first=True).reason == "late"


def test_stall_delays_the_wait_for_a_lost_seat():
    """Lost at 1 s with a turn that would have ended at 2 s: the stall takes nothing from the wait for it."""
    game = start_match(RAID)
    game.disconnect(0, 1 * S)
    before = game.due
    game.stall(3 * S, 1 * S)

    assert before is not None
    assert game.due == before + 1 * S


def test_stall_does_not_count_as_thinking_time():
    game = start_match(RAID)
    game.stall(1 * S, 5 * S)
    game.send(0, "aim 1", 6500 * MS)

    assert game.referee.entrant_records[0].think_us == 1500 * MS


def test_stall_delays_the_end_of_an_intermission():
    game = start_match(RAID, 2, preset="short", games=2, intermission_ms=5_000)
    game.play_game_out(1 * S)
    assert game.due == 6 * S

    game.stall(2 * S, 3 * S)

    assert game.due == 9 * S
    assert game.run_until(9 * S - 1) == []
    assert game.run_until(9 * S) != []


def test_stall_sends_no_messages():
    game = start_match(RAID)
    told = len(game.orders)

    game.stall(1 * S, 1 * S)

    assert len(game.orders) == told


def test_stalled_match_replays_identically():
    game = start_match(RAID)
    game.disconnect(0, 500 * MS)
    game.stall(1 * S, 2 * S)
    game.run_until(30 * S)

    game.check_replay()
