"""The share of its time that an answer took, as a league weighs it."""

import pytest

from arena.match.game import ClosingRule, Question, QuestionGroup, Seat, TimeLimit
from arena.match.referee.open_group import OpenGroup
from arena.match.referee.scalars import Instant, PromptId

ANN, BEN = Seat(0), Seat(1)


@pytest.fixture
def asked() -> OpenGroup:
    """Return the prompts of two seats, sent at 1 000 with an answer due by 3 000."""
    group = QuestionGroup(
        "window", 1, (Question(ANN, None), Question(BEN, None)), ClosingRule.ALL, TimeLimit.REACTION, 0
    )
    opened = OpenGroup(PromptId(7), group, started=Instant(1_000))
    opened.deadline = Instant(3_000)
    return opened


@pytest.mark.parametrize(("at", "share"), [(900, 0.0), (1_000, 0.0), (1_500, 0.25), (3_000, 1.0), (3_100, 1.0)])
def test_answer_takes_the_elapsed_share_of_its_time(asked: OpenGroup, at, share):
    assert asked.time_share(ANN, at) == share


def test_only_the_seat_that_lost_its_connection_gets_more_time(asked: OpenGroup):
    asked.extra[ANN] = 2_000

    assert asked.time_share(ANN, Instant(3_000)) == 0.5
    assert asked.time_share(BEN, Instant(3_000)) == 1.0


def test_time_before_answers_are_accepted_does_not_count(asked: OpenGroup):
    asked.earliest = Instant(2_000)

    assert asked.time_share(ANN, Instant(2_000)) == 0.0
    assert asked.time_share(ANN, Instant(2_500)) == 0.5


def test_prompt_without_deadline_leaves_all_of_the_time(asked: OpenGroup):
    asked.deadline = None

    assert asked.time_share(ANN, Instant(10**9)) == 0.0
