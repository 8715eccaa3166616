"""The prompts an entrant received, read from records, and the outcome of each."""

import pytest

from arena.author.rerun.recorded_prompts import PromptOutcome, find_recorded_prompts
from arena.games.catalogue import games
from arena.games.cheat.rules.game import CHEAT
from arena.match.referee.scalars import EntrantIndex
from arena.match.referee.terms import Seating
from tests.match.referee.driver import MS, S
from tests.support.recorded_matches import ManualMatch

ID = "01K00000000000000000000NEW"


def list_questions(match, entrant):
    """Each question as turn, kind, fate and answer in the notation of the journal."""
    return [
        (a.turn, a.kind, a.outcome, None if a.answer is None else CHEAT.write_action(a.answer))
        for a in find_recorded_prompts(match.records, games(), entrant)
    ]


def opening(**settings):
    match = ManualMatch(ID, **settings)
    match.answer(0, "1A AC", at=12 * MS)
    match.answer(1, "decline", at=20 * MS)
    match.answer(2, "call", at=25 * MS)
    return match


def test_counted_answers_are_known_by_turn():
    match = opening()

    assert list_questions(match, 0) == [(0, "turn", PromptOutcome.ANSWERED, "1A AC")]
    assert list_questions(match, 1) == [
        (0, "window", PromptOutcome.ANSWERED, "decline"),
        (1, "turn", PromptOutcome.LEFT_OPEN, None),
    ]
    assert list_questions(match, 2) == [(0, "window", PromptOutcome.ANSWERED, "call")]


def test_missed_prompt_has_no_answer_but_maybe_an_automatic_move():
    match = ManualMatch(ID)
    match.bench.run_until(3 * S)

    (turn,) = find_recorded_prompts(match.records, games(), EntrantIndex(0))
    (window, *_) = find_recorded_prompts(match.records, games(), EntrantIndex(1))

    assert (turn.outcome, turn.answer) == (PromptOutcome.MISSED, None)
    assert turn.automatic is not None
    assert (window.outcome, window.answer, window.automatic) == (PromptOutcome.MISSED, None, None)


def test_refused_answers_do_not_count():
    match = ManualMatch(ID)
    match.answer(0, "1A 2C", at=5 * MS)
    match.answer(0, "1A AC", at=12 * MS)

    assert list_questions(match, 0) == [(0, "turn", PromptOutcome.ANSWERED, "1A AC")]


def test_prompt_closed_by_another_seat_was_not_missed():
    """Live: seat 2 calls at once, so seat 1 has nothing left to say, and no turn."""
    match = ManualMatch(ID, style="live", min_call_ms=0, dispute_ms=0)
    match.answer(0, "1A AC", at=1 * S)
    match.answer(2, "call", at=1 * S + 5 * MS)
    match.bench.run_until(1 * S + 10 * MS)

    turn, window, *_ = find_recorded_prompts(match.records, games(), EntrantIndex(1))

    assert (turn.kind, turn.outcome, turn.is_optional) == ("turn", PromptOutcome.OVERTAKEN, False)
    assert (window.kind, window.outcome, window.is_optional) == ("window", PromptOutcome.OVERTAKEN, True)
    assert not window.is_comparable


def test_entrant_is_followed_from_seat_to_seat():
    match = ManualMatch(ID, games=3, seating=Seating.ROTATED).play_out()

    found = find_recorded_prompts(match.records, games(), EntrantIndex(1))

    assert {(a.game, a.seat) for a in found} == {(0, 1), (1, 2), (2, 0)}
    assert len({a.prompt_id for a in found}) == len(found)


def test_departed_entrant_has_no_more_prompts():
    match = opening()
    match.bench.leave(1, at=30 * MS)
    match.play_out()

    assert list_questions(match, 1) == [
        (0, "window", PromptOutcome.ANSWERED, "decline"),
        (1, "turn", PromptOutcome.OVERTAKEN, None),
    ]


@pytest.mark.parametrize("style", ["sealed", "live"])
def test_entrant_that_answers_everything_has_missed_nothing(style):
    match = ManualMatch(ID, style=style, games=2).play_out()

    fates = {
        each.outcome
        for entrant in range(3)
        for each in find_recorded_prompts(match.records, games(), EntrantIndex(entrant))
    }

    assert PromptOutcome.ANSWERED in fates
    assert PromptOutcome.MISSED not in fates
