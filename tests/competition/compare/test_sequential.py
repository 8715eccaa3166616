"""When a comparison says yes, no, or continues."""

from math import log

import pytest

from arena.competition.compare.sequential import (
    BATCH_BLOCKS,
    MIN_BLOCKS,
    ComparisonMode,
    ComparisonQuestion,
    ScoreSummary,
    SequentialVerdict,
    run_sequential_test,
)


def scores(mean: float, spread: float, count: int) -> list[float]:
    """Return `count` scores with this mean, half above and half below it by the same distance."""
    return [mean + (spread if index % 2 else -spread) for index in range(count)]


@pytest.mark.parametrize(
    ("mode", "low", "middle", "high"),
    [(ComparisonMode.BETTER, 0.0, 0.1, 0.2), (ComparisonMode.NOT_WORSE, -0.2, -0.1, 0.0)],
)
def test_tested_effect_is_between_no_effect_and_the_margin(mode, low, middle, high):
    question = ComparisonQuestion(mode, margin=0.2)

    assert (question.low, question.middle, question.high) == pytest.approx((low, middle, high))


def test_bounds_are_those_of_wald():
    """5 % errors: 19 times as likely; the logarithm is 2.944."""
    assert ComparisonQuestion(error=0.05).bound == pytest.approx(log(19))


def test_ratio_is_that_of_two_normal_likelihoods():
    """Of 24 scores 16 count: each is worth margin * (mean - middle) / variance = 0.2 * 0.2 / 0.25."""
    assert ScoreSummary.from_scores(scores(0.3, 0.5, 24)).log_likelihood_ratio(ComparisonQuestion()) == pytest.approx(
        16 * 0.16
    )


@pytest.mark.parametrize(
    ("mean", "verdict"), [(1.0, SequentialVerdict.YES), (-1.0, SequentialVerdict.NO), (0.1, SequentialVerdict.OPEN)]
)
def test_clear_scores_decide_and_middling_ones_do_not(mean, verdict):
    assert run_sequential_test(scores(mean, 0.5, 60), ComparisonQuestion())[1] is verdict


def test_few_blocks_decide_nothing_however_clear():
    assert run_sequential_test([2.0] * (MIN_BLOCKS - 1), ComparisonQuestion())[1] is SequentialVerdict.OPEN
    assert run_sequential_test([2.0] * MIN_BLOCKS, ComparisonQuestion()) == (MIN_BLOCKS, SequentialVerdict.YES)


def test_verdict_comes_only_after_whole_batches():
    assert run_sequential_test(scores(0.1, 0.5, 4 * BATCH_BLOCKS + 3), ComparisonQuestion()) == (
        4 * BATCH_BLOCKS,
        SequentialVerdict.OPEN,
    )


def test_later_scores_do_not_change_a_verdict():
    first = run_sequential_test([2.0] * 20, ComparisonQuestion())

    assert run_sequential_test([2.0] * 20 + [-3.0] * 200, ComparisonQuestion()) == first


def test_scores_that_are_not_better_are_not_worse_either():
    level = scores(0.0, 0.3, 80)

    assert run_sequential_test(level, ComparisonQuestion(ComparisonMode.BETTER))[1] is SequentialVerdict.NO
    assert run_sequential_test(level, ComparisonQuestion(ComparisonMode.NOT_WORSE))[1] is SequentialVerdict.YES


def test_constant_scores_do_not_prove_that_they_stay_constant():
    """A program that loses a whole game now and then has a variance of 0.2 * 3 / 4 with four seats."""
    assert ScoreSummary.from_scores([0.0] * 40).effective_variance(ComparisonQuestion()) == pytest.approx(0.15)
    assert run_sequential_test([0.0] * 40, ComparisonQuestion()) == (28, SequentialVerdict.NO)
    assert run_sequential_test([0.0] * 100, ComparisonQuestion(margin=0.05)) == (88, SequentialVerdict.NO)


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [
        (0.0, SequentialVerdict.YES),
        (0.5, SequentialVerdict.NO),
        (-0.5, SequentialVerdict.NO),
        (0.1, SequentialVerdict.OPEN),
    ],
)
def test_same_means_better_on_neither_side(mean, verdict):
    question = ComparisonQuestion(ComparisonMode.SAME)

    assert run_sequential_test(scores(mean, 0.5, 80), question)[1] is verdict
    assert run_sequential_test(scores(-mean, 0.5, 80), question)[1] is verdict


def test_evidence_for_same_is_that_of_the_leading_side():
    """The middle between no effect and the margin is 0.1, to either side."""
    for mean in (0.3, -0.3):
        evidence = ScoreSummary.from_scores(scores(mean, 0.5, 24))
        assert evidence.log_likelihood_ratio(ComparisonQuestion(ComparisonMode.SAME)) == pytest.approx(-16 * 0.16)


def test_each_side_gets_half_the_error():
    assert ComparisonQuestion(ComparisonMode.SAME, error=0.1).bound == pytest.approx(
        ComparisonQuestion(error=0.05).bound
    )
