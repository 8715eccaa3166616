"""When a comparison says yes, no, or goes on."""

from math import log

import pytest

from arena.compare.sequential import BATCH, LEAST_BLOCKS, Evidence, Mode, Question, Verdict, decided


def scores(mean: float, spread: float, count: int) -> list[float]:
    """So many scores with that mean, as far above it as below."""
    return [mean + (spread if index % 2 else -spread) for index in range(count)]


@pytest.mark.parametrize(
    ("mode", "low", "middle", "high"), [(Mode.BETTER, 0.0, 0.1, 0.2), (Mode.NOT_WORSE, -0.2, -0.1, 0.0)]
)
def test_what_is_asked_lies_between_no_effect_and_the_margin(mode, low, middle, high):
    question = Question(mode, margin=0.2)

    assert (question.low, question.middle, question.high) == pytest.approx((low, middle, high))


def test_the_bounds_are_those_of_wald():
    """5 % errors: 19 times as likely; the logarithm is 2.944."""
    assert Question(error=0.05).bound == pytest.approx(log(19))


def test_the_ratio_is_that_of_two_normal_likelihoods():
    """Of 24 scores 16 count: each is worth margin * (mean - middle) / variance = 0.2 * 0.2 / 0.25."""
    assert Evidence.of(scores(0.3, 0.5, 24)).ratio(Question()) == pytest.approx(16 * 0.16)


@pytest.mark.parametrize(("mean", "verdict"), [(1.0, Verdict.YES), (-1.0, Verdict.NO), (0.1, Verdict.OPEN)])
def test_clear_scores_decide_it_and_those_in_the_middle_do_not(mean, verdict):
    assert decided(scores(mean, 0.5, 60), Question())[1] is verdict


def test_nothing_is_said_of_few_blocks_however_clear():
    assert decided([2.0] * (LEAST_BLOCKS - 1), Question())[1] is Verdict.OPEN
    assert decided([2.0] * LEAST_BLOCKS, Question()) == (LEAST_BLOCKS, Verdict.YES)


def test_it_is_decided_after_whole_batches_alone():
    assert decided(scores(0.1, 0.5, 4 * BATCH + 3), Question()) == (4 * BATCH, Verdict.OPEN)


def test_what_comes_after_a_verdict_changes_nothing():
    first = decided([2.0] * 20, Question())

    assert decided([2.0] * 20 + [-3.0] * 200, Question()) == first


def test_the_same_scores_that_are_not_better_are_not_worse():
    level = scores(0.0, 0.3, 80)

    assert decided(level, Question(Mode.BETTER))[1] is Verdict.NO
    assert decided(level, Question(Mode.NOT_WORSE))[1] is Verdict.YES


def test_scores_that_are_all_the_same_are_no_proof_that_they_stay_so():
    """Somebody who loses a whole game now and then has a variance of 0.2 * 3 / 4 with four seats."""
    assert Evidence.of([0.0] * 40).reckoned(Question()) == pytest.approx(0.15)
    assert decided([0.0] * 40, Question()) == (28, Verdict.NO)
    assert decided([0.0] * 100, Question(margin=0.05)) == (88, Verdict.NO)


@pytest.mark.parametrize(
    ("mean", "verdict"), [(0.0, Verdict.YES), (0.5, Verdict.NO), (-0.5, Verdict.NO), (0.1, Verdict.OPEN)]
)
def test_the_same_is_who_is_better_to_neither_side(mean, verdict):
    question = Question(Mode.SAME)

    assert decided(scores(mean, 0.5, 80), question)[1] is verdict
    assert decided(scores(-mean, 0.5, 80), question)[1] is verdict


def test_the_evidence_for_the_same_is_that_of_the_side_that_leads():
    """The middle between no effect and the margin is 0.1, to either side."""
    for mean in (0.3, -0.3):
        evidence = Evidence.of(scores(mean, 0.5, 24))
        assert evidence.ratio(Question(Mode.SAME)) == pytest.approx(-16 * 0.16)


def test_half_the_error_goes_to_either_side():
    assert Question(Mode.SAME, error=0.1).bound == pytest.approx(Question(error=0.05).bound)
