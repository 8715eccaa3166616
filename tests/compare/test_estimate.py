"""How much better it is: right half of the time, though the test stops where it has seen enough."""

import numpy as np
import pytest

from arena.compare.estimate import estimated, expected_blocks
from arena.compare.sequential import UNCOUNTED, Evidence, Mode, Question, Verdict, decided
from tests.compare.simulated import LANES, compared, rarely_lost, rarely_otherwise, share


def test_a_verdict_at_the_first_look_is_the_plain_mean():
    """Nothing could have ended before it."""
    scores = [0.9, 1.1] * 6
    count, verdict = decided(scores, Question())

    estimate = estimated(Evidence.of(scores), Question(), verdict)

    assert (count, verdict) == (12, Verdict.YES)
    assert estimate.value == pytest.approx(1.0, abs=1e-3)
    assert 1.0 - estimate.low == pytest.approx(estimate.high - 1.0, abs=1e-3)


def test_a_late_yes_is_nearer_to_the_middle_than_its_mean_and_a_late_no_too():
    """Whoever stops at a bound has been lucky on the way there."""
    late = Evidence(40, 0.25, 0.25)

    better = estimated(late, Question(), Verdict.YES)
    worse = estimated(Evidence(40, -0.05, 0.25), Question(), Verdict.NO)

    assert 0.1 < better.value < 0.25
    assert -0.05 < worse.value < 0.1


@pytest.mark.parametrize("count", [1, 4, 8, 12])
def test_before_the_first_look_it_is_the_plain_mean_too(count):
    estimate = estimated(Evidence(count, 0.3, 0.25), Question(), Verdict.OPEN)

    assert estimate.value == pytest.approx(0.3, abs=1e-3)


def test_yes_and_no_mirror_each_other():
    question = Question()
    yes = estimated(Evidence(40, 0.25, 0.25), question, Verdict.YES)
    no = estimated(Evidence(40, -0.05, 0.25), question, Verdict.NO)

    assert yes.value - 0.1 == pytest.approx(0.1 - no.value, abs=1e-3)
    assert yes.low - 0.1 == pytest.approx(0.1 - no.high, abs=1e-3)


@pytest.mark.parametrize("mode", [Mode.BETTER, Mode.NOT_WORSE])
def test_the_interval_agrees_with_the_verdict(mode):
    """It says yes: the effect at which that would be wrong is below the interval."""
    question = Question(mode)
    outcomes = [compared(question.high, question, seed) for seed in range(15)]

    assert share(outcomes, Verdict.YES) > 0.5
    assert all(each.estimate.low > question.low - 0.03 for each in outcomes if each.verdict is Verdict.YES)
    assert all(each.estimate.low < each.estimate.value < each.estimate.high for each in outcomes)


@pytest.mark.parametrize("count", [24, 40, 240])
@pytest.mark.parametrize("mean", [-0.05, 0.0, 0.4])
def test_where_no_bound_was_near_it_is_the_plain_mean(count, mean):
    """The variance counts as a little larger, for the blocks that are not counted."""
    found = estimated(Evidence(count, mean, 0.25), Question(margin=0.002, error=0.001), Verdict.OPEN)

    half = 1.645 * (0.25 / (count - UNCOUNTED)) ** 0.5
    assert found.value == pytest.approx(mean, abs=1e-4)
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half), abs=1e-3)


def test_it_is_to_be_expected_to_take_as_long_as_it_does():
    """At the margin about 2.65 * 2 * variance / margin^2 blocks (Wald); in the middle 8.67 * variance / margin^2."""
    assert expected_blocks(Evidence(20, 0.2, 0.25), Question()) == pytest.approx(2.65 * 2 * 0.25 / 0.04, rel=0.01)
    assert expected_blocks(Evidence(20, 0.1, 0.25), Question()) == pytest.approx(8.67 * 0.25 / 0.04, rel=0.01)


@pytest.mark.parametrize("model", [rarely_otherwise, rarely_lost])
@pytest.mark.parametrize(("mode", "wrong"), [(Mode.NOT_WORSE, Verdict.YES), (Mode.BETTER, Verdict.NO)])
def test_who_is_worse_in_rare_games_or_blocks_alone_is_not_taken_for_equal(mode, wrong, model):
    """200 comparisons, so that 5 % may be up to 17 of them (99 %)."""
    question = Question(mode)
    effect = -0.2 if mode is Mode.NOT_WORSE else 0.2

    ends = [compared(effect, question, seed, model, most=100) for seed in range(200)]

    assert share(ends, wrong) <= 17 / 200


def test_programs_of_known_strength_are_judged_with_the_errors_that_were_stated():
    """60 comparisons each, so that 5 % may be up to 8 of them (99 %); `make compare-statistics` plays more."""
    question = Question()
    level = [compared(question.low, question, seed) for seed in range(60)]
    better = [compared(question.high, question, seed) for seed in range(60)]

    assert share(level, Verdict.YES) <= 8 / 60
    assert share(level, Verdict.NO) >= 52 / 60
    assert share(better, Verdict.NO) <= 8 / 60
    assert share(better, Verdict.YES) >= 52 / 60
    assert 0.3 < np.mean([each.estimate.value > question.high for each in better]) < 0.7
    assert np.mean([each.estimate.low <= 0.2 <= each.estimate.high for each in better]) > 0.78
    assert all(each.evidence.count * 2 * LANES.seats < 3_000 for each in (*level, *better))
