"""Deadlines at just before, at and just after, in the sealed pace: an answer that arrives at its deadline counts.

Sealed defaults (docs/rules/spec.md A12, design of the paces): a turn takes 2 s, a window or reaction 1 s, each from the
moment in which its prompt is sent.
"""

import pytest

from arena.match.orders import DecisionResult, Refusal
from arena.match.scalars import EntrantIndex
from tests.match.driver import MS, RAID, DecisionStatus, S, start_match
from tests.support.prepared_cheat import sealed_cheat


@pytest.mark.parametrize("at", [0, 2 * S - 1, 2 * S])
def test_a_turn_that_arrives_by_its_deadline_counts(at):
    game = start_match(RAID)
    assert game.prompt(0).deadline == 2 * S

    given = game.send(0, "aim 1", at)

    assert given.status is DecisionStatus.ACCEPTED
    assert game.narration()[-1] == "seat 0 raids seat 1"
    assert game.strikes(0) == {}


@pytest.mark.parametrize("late", [1, 5 * MS])
def test_a_turn_after_its_deadline_is_late_by_so_much(late):
    """The automatic move has been made; nothing of the late answer is applied to what follows."""
    game = start_match(RAID)
    prompt = game.prompt(0)
    game.run_until(2 * S)

    given = game.send(0, "aim 2", 2 * S + late, prompt=prompt.id)

    assert given == DecisionResult(
        EntrantIndex(0), prompt.id, given.action_id, DecisionStatus.REFUSED, Refusal.LATE, late
    )
    assert game.narration()[-1] == "seat 0 raids seat 1", "the automatic aim is at the next seat"
    assert game.strikes(0) == {"missing": 1, "late": 1}


def test_a_late_answer_read_before_the_deadline_is_acted_on_is_late_all_the_same():
    """A node reads its sockets before it acts on what is due; the stamp decides, not the order of work."""
    game = start_match(RAID)

    given = game.send(0, "aim 2", 2 * S + 3, is_read_first=True)
    game.run_until(2 * S + 3)

    assert (given.reason, given.late_us) == (Refusal.LATE, 3)
    assert game.narration()[-1] == "seat 0 raids seat 1"
    assert game.strikes(0) == {"late": 1, "missing": 1}


def test_a_deadline_is_acted_on_even_after_a_later_message_of_another_seat():
    """What is due does not get lost when the referee has heard of a later instant before."""
    game = start_match(RAID)
    game.send(2, "block", 2 * S + 3, prompt=99, is_read_first=True)

    game.run_until(2 * S + 3)

    assert game.narration()[-1] == "seat 0 raids seat 1"


def test_nothing_happens_before_a_deadline_and_all_of_it_at_the_deadline():
    game = start_match(RAID)

    assert game.run_until(2 * S - 1) == []
    assert game.run_until(2 * S) != []


@pytest.mark.parametrize(("at", "status"), [(S, DecisionStatus.ACCEPTED), (S + 1, DecisionStatus.REFUSED)])
def test_a_reaction_has_the_shorter_length(at, status):
    game = start_match(RAID)
    game.send(0, "aim 1", 0)
    prompt = game.prompt(1)
    assert (prompt.kind, prompt.deadline) == ("reaction", S)

    given = game.send(1, "block", at, prompt=prompt.id)

    assert given.status is status
    assert game.narration()[2] == ("seat 1 blocks" if status is DecisionStatus.ACCEPTED else "seat 1 lets it pass")


def test_both_steps_of_a_turn_have_their_own_time():
    """A raid is aimed, let pass, diced and taken; the second turn question runs from the moment it is put."""
    game = start_match(RAID, dice=[0, 0, 0, 3])
    game.send(0, "aim 1", 1500 * MS)
    game.send(1, "allow", 1700 * MS)
    prompt = game.prompt(0)

    given = game.send(0, "take 4", 3700 * MS)

    assert prompt.deadline == 3700 * MS
    assert given.status is DecisionStatus.ACCEPTED
    assert game.narration()[-2:] == ["the die shows 4", "seat 0 takes 4 of seat 1"]


def test_every_time_in_a_window_is_the_same_for_all_seats():
    game = start_match(sealed_cheat("KS 4D", "QS 9D", "2C 7C"))
    game.send(0, "1K KS", 300 * MS)

    assert [game.prompt(seat).deadline for seat in (1, 2)] == [1300 * MS] * 2
    assert game.prompt(1).id == game.prompt(2).id
    assert game.asked_entrants() == [1, 2]


@pytest.mark.parametrize(("at", "closes_by"), [(1300 * MS, "answers"), (1300 * MS + 1, "deadline")])
def test_a_window_takes_answers_until_its_deadline(at, closes_by):
    """Seat 2 lies in ambush: its call counts up to the deadline, and not after."""
    game = start_match(sealed_cheat("KS 4D", "QS 9D", "2C 7C"))
    game.send(0, "1K 4D", 300 * MS)
    window = game.prompt(2)
    game.send(1, "decline", 400 * MS)

    given = game.send(2, "call", at, prompt=window.id)

    caught = closes_by == "answers"
    assert given.status is (DecisionStatus.ACCEPTED if caught else DecisionStatus.REFUSED)
    assert game.state.sizes == ((2, 2, 2) if caught else (1, 2, 2))


def test_a_new_prompt_runs_from_when_it_is_put_not_from_when_the_last_answer_arrived():
    """A slow server costs no bot anything: the answer arrived at 0.5 s and is dealt with at 0.8 s."""
    game = start_match(RAID)

    game.put_answer(0, game.prompt(0).id, 1, game.game.read_action("aim 1"), at=500 * MS, now=800 * MS)

    assert game.prompt(1).deadline == 1800 * MS


def test_without_deadlines_nothing_is_ever_late():
    game = start_match(RAID, no_deadlines=True)

    assert game.due is None
    assert game.prompt(0).deadline is None
    assert game.send(0, "aim 1", 10_000 * S).status is DecisionStatus.ACCEPTED
