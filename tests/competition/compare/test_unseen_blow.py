"""What a comparison of blocks that hardly vary cannot exclude."""

import pytest

from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion, ScoreSummary
from arena.competition.compare.unseen_blow import find_unseen_blow


def unseen_by(count: int, mean: float = 0.0, variance: float = 0.0, **question):
    return find_unseen_blow(ScoreSummary(count, mean, variance), ComparisonQuestion(**question))


def test_blow_is_missed_as_often_as_the_test_may_err():
    for error in (0.05, 0.01):
        unseen = unseen_by(40, error=error)
        assert unseen is not None
        assert (1 - unseen.share) ** 40 == pytest.approx(error)


@pytest.mark.parametrize("mode", list(ComparisonMode))
@pytest.mark.parametrize("mean", [-0.12, -0.05, 0.0, 0.05, 0.12])
def test_blow_moves_the_candidate_to_the_wrong_end_of_the_question(mode, mean):
    question = ComparisonQuestion(mode)
    unseen = unseen_by(24, mean, mode=mode)

    assert unseen is not None
    moved = mean + unseen.share * unseen.places
    if mode is ComparisonMode.SAME:
        assert abs(moved) == pytest.approx(0.0 if question.lead(mean) < 0 else 0.2, abs=1e-9)
    else:
        assert moved == pytest.approx(question.low if question.lead(mean) > 0 else question.high)


def test_blocks_that_vary_hide_nothing_that_the_test_does_not_allow_for():
    assert unseen_by(32, variance=0.14) is not None
    assert unseen_by(32, variance=0.151) is None


def test_blow_that_no_score_can_be_is_not_named():
    """With 400 blocks it would fall in 0.7 % of all and cost 27 places, but nobody loses more than 3 at four seats."""
    assert unseen_by(400) is None
    assert unseen_by(16, mean=1.0) is None
    assert unseen_by(16, mean=1.0, seats=8) is not None


def test_more_blocks_hide_only_larger_blows():
    sizes = [abs(unseen.places) for count in (12, 20, 28, 40) if (unseen := unseen_by(count))]

    assert sizes == sorted(sizes)
    assert len(sizes) == 4
