"""Refused answers: the reason of each and its cost."""

import pytest

from arena.match.referee.orders import Refusal
from arena.match.referee.prompt_log import RECENT_PROMPTS
from tests.match.referee.driver import MS, RAID, DecisionStatus, S, start_match
from tests.support.prepared_cheat import live_cheat, sealed_cheat


def test_illegal_answer_keeps_the_prompt_open_for_a_correction():
    game = start_match(RAID)
    prompt = game.prompt(0)

    refused = game.send(0, "aim 0", 1 * S)
    mended = game.send(0, "aim 2", 2 * S)

    assert (refused.status, refused.reason) == (DecisionStatus.REFUSED, "bad_target")
    assert (mended.status, mended.prompt_id) == (DecisionStatus.ACCEPTED, prompt.id)
    assert game.strikes(0) == {"illegal": 1}


def test_illegal_answer_gains_no_time():
    game = start_match(RAID)

    game.send(0, "aim 0", 1999 * MS)

    assert game.prompt(0).deadline == 2 * S
    assert game.run_until(2 * S) != []


def test_illegal_answer_changes_nothing_and_is_hidden_from_others():
    game = start_match(sealed_cheat("KS 4D", "QS 9D", "2C 7C"))
    before = game.state
    heard = len(game.orders_to(1))

    game.send(0, "1K QS", 0)

    assert game.state is before
    assert len(game.orders_to(1)) == heard


@pytest.mark.parametrize("card", ["QS", "AS"], ids=["of another seat", "of nobody"])
def test_foreign_card_and_unknown_card_get_the_same_refusal(card):
    """A refusal must not reveal the holder of a card."""
    game = start_match(sealed_cheat("KS 4D", "QS 9D", "2C 7C"))

    assert game.send(0, f"1K {card}", 0).reason == "not_in_hand"


def test_second_answer_is_refused_and_the_first_stays():
    game = start_match(sealed_cheat("KS 4D", "QS 9D", "2C 7C"))
    game.send(0, "1K 4D", 0)
    game.send(1, "decline", 1)

    again = game.send(1, "call", 2)
    game.send(2, "decline", 3)

    assert again.reason == Refusal.ALREADY_ANSWERED
    assert game.state.sizes == (1, 2, 2), "nobody called"
    assert game.strikes(1) == {}


def test_answer_to_an_answered_and_closed_prompt_is_refused_as_answered():
    game = start_match(RAID)
    prompt = game.prompt(0)
    game.send(0, "aim 1", 0)

    assert game.send(0, "aim 2", 1, prompt=prompt.id).reason == Refusal.ALREADY_ANSWERED
    assert game.strikes(0) == {}


def test_foreign_future_and_nonsense_prompts_get_one_uniform_refusal():
    """The refusal does not reveal whether such a prompt exists, and it is no strike."""
    game = start_match(sealed_cheat("KS 4D", "QS 9D", "2C 7C"))
    turn = game.prompt(0)
    closed_turn_of_0 = turn.id
    open_window = closed_turn_of_0 + 1

    while_open = game.send(1, "1Q QS", 0, prompt=turn.id)
    game.send(0, "1K KS", 0)
    asked_ids = [closed_turn_of_0, open_window + 1, 0, 4_294_967_295]
    later = [game.send(1, "1Q QS", 1, prompt=prompt_id) for prompt_id in asked_ids]
    by_mover = game.send(0, "call", 1, prompt=open_window)

    refusals = [while_open, *later, by_mover]
    assert {(given.status, given.reason, given.late_us) for given in refusals} == {
        (DecisionStatus.REFUSED, Refusal.UNKNOWN_PROMPT, 0)
    }
    assert game.strikes(0) == game.strikes(1) == {}


def test_last_eight_prompts_of_a_seat_are_late_and_older_ones_unknown():
    game = start_match(RAID, 2, options={"rounds": 20}, max_auto_moves=0)
    missed: list[int] = []
    while len(missed) < RECENT_PROMPTS + 1:
        due = game.due
        assert due is not None
        if game.asked_entrants() == [0]:
            missed.append(game.prompt(0).id)
        game.run_until(due)

    reasons = [game.send(0, "allow", prompt=prompt_id).reason for prompt_id in missed]

    assert RECENT_PROMPTS == 8
    assert reasons == [Refusal.UNKNOWN_PROMPT] + [Refusal.LATE] * 8


def test_last_prompt_of_a_seat_stays_known_after_many_prompts_to_others():
    """Ann is out early; thirty prompts to others later her late answer is still late, not unknown."""
    game = start_match(sealed_cheat("KS", "QS QD QH 2C 2D 2H", "JS JD JH 3C 3D 3H"), max_auto_moves=0)
    turn = game.prompt(0).id
    game.run_until(2 * S)
    game.run_until(60 * S)

    assert game.send(0, "pass", prompt=turn).reason == Refusal.LATE


def test_repeated_action_id_gets_the_first_answer_again():
    game = start_match(RAID)
    first = game.send(0, "aim 1", 0, action_id=5)
    told = len(game.orders)

    again = game.send(0, "aim 1", 1, action_id=5, prompt=first.prompt_id)

    assert again == first
    assert game.orders[told:] == [first]


def test_repeated_refused_action_gets_the_same_refusal_and_one_strike():
    game = start_match(RAID)
    first = game.send(0, "aim 0", 0, action_id=5)

    again = game.send(0, "aim 0", 1, action_id=5)

    assert again == first
    assert game.strikes(0) == {"illegal": 1}


def test_repeated_late_answer_keeps_its_first_offset_and_strike():
    game = start_match(RAID)
    prompt = game.prompt(0).id
    game.run_until(2 * S)
    first = game.send(0, "aim 2", 2 * S + 10, action_id=5, prompt=prompt)

    again = game.send(0, "aim 2", 2 * S + 500, action_id=5, prompt=prompt)

    assert again == first
    assert again.late_us == 10
    assert game.strikes(0)["late"] == 1


def test_different_content_under_the_same_action_id_is_a_conflict():
    game = start_match(RAID)
    first = game.send(0, "aim 1", 0, action_id=5)

    second = game.send(0, "aim 2", 1, action_id=5, prompt=first.prompt_id)

    assert second.reason == Refusal.ACTION_ID_CONFLICT
    assert game.narration()[1:] == ["seat 0 raids seat 1"]
    assert game.strikes(0) == {}


def test_action_id_may_be_reused_for_another_prompt():
    """A bot that lost its memory restarts its count and is not refused for that."""
    game = start_match(RAID)
    first = game.send(0, "aim 1", 0, action_id=5)

    second = game.send(0, "aim 1", 1, action_id=5, prompt=first.prompt_id + 100)

    assert second.reason == Refusal.UNKNOWN_PROMPT


def test_action_ids_of_two_entrants_are_independent():
    game = start_match(RAID)
    game.send(0, "aim 1", 0, action_id=5)

    assert game.send(1, "block", 1, action_id=5).status is DecisionStatus.ACCEPTED


def test_unreadable_decision_is_refused_and_a_strike():
    game = start_match(RAID)

    given, *_ = game.reject(0, 1, 9, Refusal.MALFORMED, at=0)

    assert given.status is DecisionStatus.REFUSED  # type: ignore[union-attr]  # the first order is the answer
    assert game.strikes(0) == {"illegal": 1}
    assert game.send(0, "aim 1", 1).status is DecisionStatus.ACCEPTED, "the prompt is still open"


def test_answer_overtaken_by_another_seats_call_is_late_but_no_fault():
    """Live: two seats call at nearly the same time. The second seat's prompt has no deadline to miss."""
    game = start_match(live_cheat("4D KS", "QS 9D", "2C 7C"), style="live")
    game.send(0, "1K 4D", 0)
    window = game.prompt(2).id
    game.send(1, "call", 800 * MS, kind="window")

    given = game.send(2, "call", 800 * MS + 250, prompt=window)

    assert (given.reason, given.late_us) == (Refusal.LATE, 250)
    assert game.strikes(2) == {}


def test_answer_to_a_window_voided_by_its_mover_is_no_fault():
    game = start_match(sealed_cheat("4D KS", "QS 9D", "2C 7C"))
    game.send(0, "1K 4D", 0)
    window = game.prompt(1).id
    game.leave(0, 100)

    assert game.send(1, "call", 101, prompt=window).reason == Refusal.LATE
    assert game.strikes(1) == {}


def test_after_the_match_every_answer_is_refused_without_an_error():
    game = start_match(RAID, 2, preset="short")
    game.play_game_out()
    assert game.referee.ended is not None

    assert game.send(0, "aim 1", 5 * S, prompt=1).reason == Refusal.ALREADY_ANSWERED
    assert game.send(0, "aim 1", 5 * S, prompt=77).reason == Refusal.UNKNOWN_PROMPT
    assert (
        game.leave(0, 6 * S) == game.disconnect(0, 6 * S) == game.reconnect(0, 6 * S) == game.mark_ready(0, 6 * S) == []
    )
