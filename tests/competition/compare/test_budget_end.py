"""What an undecided comparison means: no beyond the margin, perhaps a pass inside it."""

import pytest

from arena.competition.compare.budget_end import CHOSEN_END_WIDTH, IntervalPlace, may_pass, place_interval
from arena.competition.compare.estimate import Estimate
from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion
from tools.studies.compare_chosen_end import wrong_passes
from tools.studies.compare_simulated import as_plackett_and_luce

BETTER, NOT_WORSE, SAME = (ComparisonQuestion(mode, margin=0.2) for mode in ComparisonMode)
INSIDE, ACROSS, BEYOND = IntervalPlace


@pytest.mark.parametrize(
    ("question", "low", "high", "place"),
    [
        (BETTER, 0.01, 0.5, INSIDE),
        (BETTER, -0.01, 0.5, ACROSS),
        (BETTER, -0.5, -0.01, BEYOND),
        (NOT_WORSE, -0.19, 0.1, INSIDE),
        (NOT_WORSE, -0.21, 0.1, ACROSS),
        (NOT_WORSE, -0.5, -0.1, ACROSS),
        (NOT_WORSE, -0.5, -0.21, BEYOND),
        (SAME, -0.19, 0.19, INSIDE),
        (SAME, -0.19, 0.21, ACROSS),
        (SAME, 0.21, 0.5, BEYOND),
        (SAME, -0.5, -0.21, BEYOND),
    ],
)
def test_place_depends_on_the_margin_of_the_mode(question, low, high, place):
    assert place_interval(Estimate((low + high) / 2, low, high), question) is place


def test_smaller_error_needs_a_wider_interval_inside_the_margin():
    """An error of 1 % is 2.33 standard errors, one of 5 % 1.64: the interval counts 1.41 times. 40 % asks no less."""
    near = Estimate(0.0, -0.15, 0.15)
    strict, lax = (ComparisonQuestion(ComparisonMode.NOT_WORSE, error=error) for error in (0.01, 0.4))

    assert may_pass(near, NOT_WORSE, is_end_chosen=False)
    assert not may_pass(near, strict, is_end_chosen=False)
    assert place_interval(near, lax) is INSIDE
    assert place_interval(Estimate(-0.4, -0.55, -0.25), strict) is ACROSS
    assert place_interval(Estimate(-0.4, -0.5, -0.3), strict) is BEYOND


def test_only_an_interval_inside_the_margin_passes():
    inside, across = Estimate(0.05, -0.15, 0.25), Estimate(0.05, -0.25, 0.35)

    assert may_pass(inside, NOT_WORSE, is_end_chosen=False)
    assert not may_pass(across, NOT_WORSE, is_end_chosen=False)
    assert not may_pass(None, NOT_WORSE, is_end_chosen=False)


def test_candidate_that_chose_the_end_needs_a_wider_interval_inside_the_margin():
    """0.2 below the estimate is within the margin once; 0.2 times `CHOSEN_END_WIDTH` is not."""
    near, far = Estimate(0.05, -0.15, 0.25), Estimate(0.25, 0.05, 0.45)

    assert CHOSEN_END_WIDTH > 0.25 / 0.2
    assert not may_pass(near, NOT_WORSE, is_end_chosen=True)
    assert may_pass(far, NOT_WORSE, is_end_chosen=True)


@pytest.mark.slow
@pytest.mark.long
def test_worse_candidate_gains_little_by_choosing_the_end():
    """5 % of 100 may be up to 11 of them (99 %)."""
    passes = wrong_passes(100, as_plackett_and_luce)

    assert passes[CHOSEN_END_WIDTH] <= 11 / 100
