"""How much of its time an answer took, as a league weighs it."""

import pytest

from arena.match.prompts import OpenGroup
from arena.match.scalars import Instant, PromptId
from arena.rules.game import ClosingRule, Question, QuestionGroup, Seat, TimeLimit

ANN, BEN = Seat(0), Seat(1)


@pytest.fixture
def asked() -> OpenGroup:
    """Two seats, asked at 1 000, with an answer due by 3 000."""
    group = QuestionGroup(
        "window", 1, (Question(ANN, None), Question(BEN, None)), ClosingRule.ALL, TimeLimit.REACTION, 0
    )
    opened = OpenGroup(PromptId(7), group, started=Instant(1_000))
    opened.deadline = Instant(3_000)
    return opened


@pytest.mark.parametrize(("at", "share"), [(900, 0.0), (1_000, 0.0), (1_500, 0.25), (3_000, 1.0), (3_100, 1.0)])
def test_an_answer_takes_the_part_of_its_time_that_has_passed(asked: OpenGroup, at, share):
    assert asked.time_share(ANN, at) == share


def test_a_seat_whose_connection_was_lost_has_more_time_and_the_others_have_not(asked: OpenGroup):
    asked.extra[ANN] = 2_000

    assert asked.time_share(ANN, Instant(3_000)) == 0.5
    assert asked.time_share(BEN, Instant(3_000)) == 1.0


def test_the_time_in_which_no_answer_may_come_is_not_the_bots(asked: OpenGroup):
    asked.earliest = Instant(2_000)

    assert asked.time_share(ANN, Instant(2_000)) == 0.0
    assert asked.time_share(ANN, Instant(2_500)) == 0.5


def test_a_question_without_a_deadline_leaves_all_the_time_there_is(asked: OpenGroup):
    asked.deadline = None

    assert asked.time_share(ANN, Instant(10**9)) == 0.0
