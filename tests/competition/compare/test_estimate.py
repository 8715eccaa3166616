"""The estimated effect: right half of the time, though the test stops as soon as it has seen enough."""

import numpy as np
import pytest

from arena.competition.compare.estimate import estimate_effect, expected_blocks
from arena.competition.compare.sequential import (
    UNCOUNTED_BLOCKS,
    ComparisonMode,
    ComparisonQuestion,
    ScoreSummary,
    SequentialVerdict,
    run_sequential_test,
)
from tools.studies.compare_simulated import rarely_lost, rarely_otherwise, share, simulate_comparisons


def test_verdict_at_the_first_look_is_the_plain_mean():
    """Nothing could have ended before it."""
    scores = [0.6, 1.4] * 6
    count, verdict = run_sequential_test(scores, ComparisonQuestion())

    estimate = estimate_effect(ScoreSummary.from_scores(scores), ComparisonQuestion(), verdict)

    assert (count, verdict) == (12, SequentialVerdict.YES)
    assert estimate.value == pytest.approx(1.0, abs=1e-3)
    assert 1.0 - estimate.low == pytest.approx(estimate.high - 1.0, abs=1e-3)


def test_late_yes_and_late_no_are_nearer_to_the_middle_than_their_means():
    """A test that stops at a bound has been lucky on the way there."""
    late = ScoreSummary(40, 0.25, 0.25)

    better = estimate_effect(late, ComparisonQuestion(), SequentialVerdict.YES)
    worse = estimate_effect(ScoreSummary(40, -0.05, 0.25), ComparisonQuestion(), SequentialVerdict.NO)

    assert 0.1 < better.value < 0.25
    assert -0.05 < worse.value < 0.1


@pytest.mark.parametrize("count", [1, 4, 8, 12])
def test_before_the_first_look_it_is_the_plain_mean_too(count):
    estimate = estimate_effect(ScoreSummary(count, 0.3, 0.25), ComparisonQuestion(), SequentialVerdict.OPEN)

    assert estimate.value == pytest.approx(0.3, abs=1e-3)


def test_yes_and_no_mirror_each_other():
    question = ComparisonQuestion()
    yes = estimate_effect(ScoreSummary(40, 0.25, 0.25), question, SequentialVerdict.YES)
    no = estimate_effect(ScoreSummary(40, -0.05, 0.25), question, SequentialVerdict.NO)

    assert yes.value - 0.1 == pytest.approx(0.1 - no.value, abs=1e-3)
    assert yes.low - 0.1 == pytest.approx(0.1 - no.high, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.3])
@pytest.mark.parametrize("mode", [ComparisonMode.BETTER, ComparisonMode.NOT_WORSE])
def test_interval_agrees_with_the_verdict(mode, correlation):
    """It says yes: the effect at which that would be wrong is below the interval."""
    question = ComparisonQuestion(mode)
    outcomes = simulate_comparisons(question.high, question, 15, correlation=correlation)

    assert share(outcomes, SequentialVerdict.YES) > 0.5
    assert all(each.estimate.low > question.low - 0.03 for each in outcomes if each.verdict is SequentialVerdict.YES)
    assert all(each.estimate.low < each.estimate.value < each.estimate.high for each in outcomes)


@pytest.mark.parametrize("count", [24, 40, 240])
@pytest.mark.parametrize("mean", [-0.05, 0.0, 0.4])
def test_far_from_the_bounds_it_is_the_plain_mean(count, mean):
    """The variance counts as a little larger, for the blocks that are not counted."""
    found = estimate_effect(
        ScoreSummary(count, mean, 0.25), ComparisonQuestion(margin=0.002, error=0.001), SequentialVerdict.OPEN
    )

    half = 1.645 * (0.25 / (count - UNCOUNTED_BLOCKS)) ** 0.5
    assert found.value == pytest.approx(mean, abs=1e-4)
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half), abs=1e-3)


def test_expected_length_agrees_with_walds_formula():
    """At the margin about 2.65 * 2 * variance / margin^2 blocks (Wald); in the middle 8.67 * variance / margin^2."""
    assert expected_blocks(ScoreSummary(20, 0.2, 0.25), ComparisonQuestion()) == pytest.approx(
        2.65 * 2 * 0.25 / 0.04, rel=0.01
    )
    assert expected_blocks(ScoreSummary(20, 0.1, 0.25), ComparisonQuestion()) == pytest.approx(
        8.67 * 0.25 / 0.04, rel=0.01
    )


@pytest.mark.parametrize("model", [rarely_otherwise, rarely_lost])
@pytest.mark.parametrize(
    ("mode", "wrong"),
    [(ComparisonMode.NOT_WORSE, SequentialVerdict.YES), (ComparisonMode.BETTER, SequentialVerdict.NO)],
)
def test_program_that_is_worse_only_in_rare_games_is_not_judged_equal(mode, wrong, model):
    """200 comparisons, so that 5 % may be up to 17 of them (99 %)."""
    question = ComparisonQuestion(mode)
    effect = -0.2 if mode is ComparisonMode.NOT_WORSE else 0.2

    ends = simulate_comparisons(effect, question, 200, model)

    assert share(ends, wrong) <= 17 / 200


@pytest.mark.slow
def test_programs_of_known_strength_are_judged_with_the_stated_errors():
    """300 comparisons each, so that 5 % may be up to 24 of them (99 %); `make compare-statistics` plays more."""
    question = ComparisonQuestion()
    level = simulate_comparisons(question.low, question, 300)
    better = simulate_comparisons(question.high, question, 300)

    assert share(level, SequentialVerdict.YES) <= 24 / 300
    assert share(level, SequentialVerdict.NO) >= 276 / 300
    assert share(better, SequentialVerdict.NO) <= 24 / 300
    assert share(better, SequentialVerdict.YES) >= 276 / 300
    assert np.mean([each.games for each in (*level, *better)]) < 800
    estimates = [each.estimate for each in better[:60]]
    assert 0.3 < np.mean([each.value > question.high for each in estimates]) < 0.7
    assert np.mean([each.low <= 0.2 <= each.high for each in estimates]) > 0.78
