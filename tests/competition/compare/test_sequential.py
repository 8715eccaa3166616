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
    all_attempts,
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
    """A program that loses a whole game now and then has a variance of 0.2 * 3 / 4 with four seats: a quarter more."""
    assert ScoreSummary.from_scores([0.0] * 40).effective_variance(ComparisonQuestion()) == pytest.approx(0.1875)
    assert run_sequential_test([0.0] * 60, ComparisonQuestion()) == (32, SequentialVerdict.NO)
    assert run_sequential_test([0.0] * 200, ComparisonQuestion(margin=0.05)) == (112, SequentialVerdict.NO)


@pytest.mark.parametrize(("variance", "assumed"), [(0.0, 0.1875), (0.07, 0.17), (0.15, 0.15), (0.5, 0.5)])
def test_the_less_the_blocks_vary_the_more_is_assumed(variance, assumed):
    assert ScoreSummary(40, 0.0, variance).assumed_variance(ComparisonQuestion()) == pytest.approx(assumed)


@pytest.mark.parametrize(
    ("mode", "mean", "third", "factor"),
    [
        (ComparisonMode.BETTER, 0.5, -1.0, 1.5),  # crushed in a few blocks: speaks against "better"
        (ComparisonMode.BETTER, 0.5, 1.0, 1.0),
        (ComparisonMode.BETTER, -0.5, 1.0, 1.5),  # a few great wins: speak against "not better"
        (ComparisonMode.NOT_WORSE, 0.0, -1.0, 1.5),
        (ComparisonMode.SAME, 0.0, 1.0, 1.5),
        (ComparisonMode.SAME, 0.0, -1.0, 1.5),
        (ComparisonMode.SAME, 0.5, -1.0, 1.5),
        (ComparisonMode.SAME, 0.5, 1.0, 1.0),
        (ComparisonMode.SAME, -0.5, 1.0, 1.5),
    ],
)
def test_tail_widens_the_variance_if_it_speaks_against_the_verdict(mode, mean, third, factor):
    """With a variance of 1, the skewness is the third moment."""
    summary = ScoreSummary(100, mean, 1.0, third_moment=third)

    assert summary.tail_factor(ComparisonQuestion(mode)) == pytest.approx(factor)


def test_skewness_that_chance_explains_counts_for_nothing():
    """Its standard error is sqrt(6 / 24) = 0.5, and two and a half of these are accepted."""
    assert ScoreSummary(24, 0.5, 1.0, third_moment=-1.25).tail_factor(ComparisonQuestion()) == 1.0
    assert ScoreSummary(24, 0.5, 1.0, third_moment=-1.26).tail_factor(ComparisonQuestion()) == pytest.approx(1.63)


def test_third_moment_is_that_of_the_deviations():
    scored = [0.2] * 9 + [-2.8]

    moment = sum((score + 0.1) ** 3 for score in scored) / 10
    assert ScoreSummary.from_scores(scored).third_moment == pytest.approx(moment)


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


def test_each_side_gets_two_fifths_of_the_error():
    assert ComparisonQuestion(ComparisonMode.SAME, error=0.1).bound == pytest.approx(
        ComparisonQuestion(error=0.04).bound
    )


def test_tries_of_a_branch_share_the_error():
    """3/4 for the first, 5/36 for the second; what is left after the tenth is 1/121."""
    shares = [ComparisonQuestion(error=0.01, number=number).own_error / 0.01 for number in range(1, 11)]

    assert shares[:2] == pytest.approx([3 / 4, 5 / 36])
    assert sum(shares) == pytest.approx(1 - 1 / 121)
    assert ComparisonQuestion(error=0.01).own_error == 0.01


def test_later_try_needs_more_evidence():
    good = scores(0.5, 0.5, 60)
    counts = [run_sequential_test(good, ComparisonQuestion(number=number))[0] for number in (None, 1, 2, 10)]

    assert counts == sorted(counts)
    assert counts[0] < counts[2] < counts[3]


def test_void_attempts_that_went_badly_hold_back_a_yes():
    """Twelve blocks at +1 are a yes; with a void attempt at -3 before every fourth, the mean of all is 0.2."""
    good, voided = scores(1.0, 0.4, 12), {index: [-3.0] for index in (0, 4, 8)}

    assert run_sequential_test(good, ComparisonQuestion()) == (12, SequentialVerdict.YES)
    assert run_sequential_test(good, ComparisonQuestion(), voided) == (12, SequentialVerdict.OPEN)


def test_void_attempts_that_went_well_hold_back_a_no():
    """The baseline must not gain by striking out the blocks that it lost."""
    bad, voided = scores(-1.0, 0.4, 12), {index: [3.0] for index in (0, 4, 8)}

    assert run_sequential_test(bad, ComparisonQuestion()) == (12, SequentialVerdict.NO)
    assert run_sequential_test(bad, ComparisonQuestion(), voided) == (12, SequentialVerdict.OPEN)


def test_void_attempts_like_the_others_change_no_verdict():
    good = scores(1.0, 0.4, 12)

    assert run_sequential_test(good, ComparisonQuestion(), {3: [0.6], 7: [1.4]}) == (12, SequentialVerdict.YES)


def test_attempts_are_in_the_order_of_play():
    assert all_attempts([1.0, 2.0, 3.0], {1: [-1.0, -2.0], 5: [9.0]}) == [1.0, -1.0, -2.0, 2.0, 3.0]
