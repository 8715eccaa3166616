"""Deadlines in the sealed pace, just before, at and just after: an answer that arrives at its deadline counts.

Sealed defaults (docs/rules/spec.md A12, design of the paces): a turn takes 2 s, a window or reaction 1 s, each from the
moment in which its prompt is sent.
"""

import pytest

from arena.match.referee.orders import DecisionResult, Refusal
from arena.match.referee.scalars import EntrantIndex
from tests.match.referee.driver import MS, RAID, DecisionStatus, S, start_match
from tests.support.prepared_cheat import sealed_cheat


@pytest.mark.parametrize("at", [0, 2 * S - 1, 2 * S])
def test_turn_answer_that_arrives_at_the_deadline_counts(at):
    game = start_match(RAID)
    assert game.prompt(0).deadline == 2 * S

    given = game.send(0, "aim 1", at)

    assert given.status is DecisionStatus.ACCEPTED
    assert game.narration()[-1] == "seat 0 raids seat 1"
    assert game.strikes(0) == {}


@pytest.mark.parametrize("late", [1, 5 * MS])
def test_turn_answer_after_the_deadline_is_late_by_its_offset(late):
    """The automatic move has already been made, and the late answer affects nothing that follows."""
    game = start_match(RAID)
    prompt = game.prompt(0)
    game.run_until(2 * S)

    given = game.send(0, "aim 2", 2 * S + late, prompt=prompt.id)

    assert given == DecisionResult(
        EntrantIndex(0), prompt.id, given.action_id, DecisionStatus.REFUSED, Refusal.LATE, late
    )
    assert game.narration()[-1] == "seat 0 raids seat 1", "the automatic aim is at the next seat"
    assert game.strikes(0) == {"missing": 1, "late": 1}


def test_late_answer_read_before_the_deadline_is_processed_is_still_late():
    """A node reads its sockets before it processes what is due; the arrival stamp decides, not the order of work."""
    game = start_match(RAID)

    given = game.send(0, "aim 2", 2 * S + 3, is_read_first=True)
    game.run_until(2 * S + 3)

    assert (given.reason, given.late_us) == (Refusal.LATE, 3)
    assert game.narration()[-1] == "seat 0 raids seat 1"
    assert game.strikes(0) == {"late": 1, "missing": 1}


def test_deadline_is_processed_even_after_a_later_message_from_another_seat():
    """A due deadline is not lost when the referee has already seen a later instant."""
    game = start_match(RAID)
    game.send(2, "block", 2 * S + 3, prompt=99, is_read_first=True)

    game.run_until(2 * S + 3)

    assert game.narration()[-1] == "seat 0 raids seat 1"


def test_nothing_happens_before_a_deadline_and_everything_at_it():
    game = start_match(RAID)

    assert game.run_until(2 * S - 1) == []
    assert game.run_until(2 * S) != []


@pytest.mark.parametrize(("at", "status"), [(S, DecisionStatus.ACCEPTED), (S + 1, DecisionStatus.REFUSED)])
def test_reaction_has_the_shorter_time_limit(at, status):
    game = start_match(RAID)
    game.send(0, "aim 1", 0)
    prompt = game.prompt(1)
    assert (prompt.kind, prompt.deadline) == ("reaction", S)

    given = game.send(1, "block", at, prompt=prompt.id)

    assert given.status is status
    assert game.narration()[2] == ("seat 1 blocks" if status is DecisionStatus.ACCEPTED else "seat 1 lets it pass")


def test_both_steps_of_a_turn_have_their_own_time():
    """A raid is aimed, passed, rolled and taken; the second turn prompt runs from the moment it is sent."""
    game = start_match(RAID, dice=[0, 0, 0, 3])
    game.send(0, "aim 1", 1500 * MS)
    game.send(1, "allow", 1700 * MS)
    prompt = game.prompt(0)

    given = game.send(0, "take 4", 3700 * MS)

    assert prompt.deadline == 3700 * MS
    assert given.status is DecisionStatus.ACCEPTED
    assert game.narration()[-2:] == ["the die shows 4", "seat 0 takes 4 of seat 1"]


def test_every_seat_sees_the_same_times_in_a_window():
    game = start_match(sealed_cheat("KS 4D", "QS 9D", "2C 7C"))
    game.send(0, "1K KS", 300 * MS)

    assert [game.prompt(seat).deadline for seat in (1, 2)] == [1300 * MS] * 2
    assert game.prompt(1).id == game.prompt(2).id
    assert game.asked_entrants() == [1, 2]


@pytest.mark.parametrize(("at", "closes_by"), [(1300 * MS, "answers"), (1300 * MS + 1, "deadline")])
def test_window_takes_answers_until_its_deadline(at, closes_by):
    """Seat 2 waits before it calls: the call counts up to the deadline and not after it."""
    game = start_match(sealed_cheat("KS 4D", "QS 9D", "2C 7C"))
    game.send(0, "1K 4D", 300 * MS)
    window = game.prompt(2)
    game.send(1, "decline", 400 * MS)

    given = game.send(2, "call", at, prompt=window.id)

    caught = closes_by == "answers"
    assert given.status is (DecisionStatus.ACCEPTED if caught else DecisionStatus.REFUSED)
    assert game.state.sizes == ((2, 2, 2) if caught else (1, 2, 2))


def test_new_prompt_runs_from_its_sending_not_from_the_last_answer():
    """A slow server costs no bot any time: the answer arrives at 0.5 s and is processed at 0.8 s."""
    game = start_match(RAID)

    game.put_answer(0, game.prompt(0).id, 1, game.game.read_action("aim 1"), at=500 * MS, now=800 * MS)

    assert game.prompt(1).deadline == 1800 * MS


def test_without_deadlines_nothing_is_late():
    game = start_match(RAID, no_deadlines=True)

    assert game.due is None
    assert game.prompt(0).deadline is None
    assert game.send(0, "aim 1", 10_000 * S).status is DecisionStatus.ACCEPTED
