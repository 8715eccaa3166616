"""Blocks that resemble the ones before them: they are found, and widen both test and interval."""

import random

import numpy as np
import pytest

from arena.competition.compare import sequential
from arena.competition.compare.dependence import Dependence, judge_dependence, measure_autocorrelation, variance_factor
from arena.competition.compare.estimate import estimate_effect
from arena.competition.compare.plain_estimate import estimate_plainly
from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion, ScoreSummary, SequentialVerdict
from tools.studies.compare_simulated import as_plackett_and_luce, correlate, share, simulate_comparisons

COMPARISONS = 200


@pytest.mark.parametrize(
    ("scores", "correlation"),
    [([1, 1, 1, -1, -1, -1], 3 / 6), ([1, -1, 1, -1], -3 / 4), ([2.0, 2.0, 2.0], 0.0), ([5.0], 0.0)],
)
def test_autocorrelation_by_hand(scores, correlation):
    assert measure_autocorrelation(scores) == pytest.approx(correlation)
    assert ScoreSummary.from_scores(scores).autocorrelation == pytest.approx(correlation)


def test_summary_computes_from_sums_what_the_definition_says():
    source = random.Random(1)
    scores = [source.gauss(0.7, 0.5) for _ in range(101)]

    assert ScoreSummary.from_scores(scores).autocorrelation == pytest.approx(measure_autocorrelation(scores))


@pytest.mark.parametrize(
    ("autocorrelation", "dependence", "factor"),
    [
        (-0.5, Dependence.NONE, 1.0),
        (0.0, Dependence.NONE, 1.0),
        (0.06, Dependence.NONE, 1.0),
        (0.12, Dependence.LIKELY, (1 + 0.2348) / (1 - 0.2348)),
        (0.3, Dependence.FOUND, (1 + 0.422) / (1 - 0.422)),
        (0.95, Dependence.FOUND, 19.0),
    ],
)
def test_hundred_blocks_count_as_dependent_from_three_quarters_of_a_standard_error_on(
    autocorrelation, dependence, factor
):
    """The standard error is 0.1. 0.06 with a bias of 0.0124 is less than 0.075; 0.1348 + 0.1 and 0.322 + 0.1 count."""
    assert judge_dependence(100, autocorrelation) is dependence
    assert variance_factor(100, autocorrelation) == pytest.approx(factor)


def test_blocks_before_the_first_look_are_too_few_to_tell():
    assert judge_dependence(sequential.MIN_BLOCKS - 1, 0.8) is Dependence.NONE
    assert judge_dependence(sequential.MIN_BLOCKS, 0.8) is Dependence.FOUND


@pytest.mark.parametrize("mode", ComparisonMode)
def test_dependent_blocks_say_less_and_widen_the_interval(mode):
    question = ComparisonQuestion(mode)
    alone, dependent = ScoreSummary(100, 0.12, 0.5), ScoreSummary(100, 0.12, 0.5, autocorrelation=0.3)
    factor = variance_factor(100, 0.3)

    assert dependent.log_likelihood_ratio(question) == pytest.approx(alone.log_likelihood_ratio(question) / factor)
    narrow, wide = (estimate_effect(each, question, SequentialVerdict.OPEN) for each in (alone, dependent))
    assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)


def test_dependent_blocks_widen_the_interval_of_a_rough_answer_too():
    alone, dependent = (estimate_plainly(ScoreSummary(40, 0.12, 0.5, each), ComparisonQuestion()) for each in (0, 0.4))

    assert alone is not None
    assert dependent is not None
    assert dependent.high - dependent.low > 1.3 * (alone.high - alone.low)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [ComparisonMode.BETTER, ComparisonMode.NOT_WORSE])
def test_dependent_blocks_are_judged_with_nearly_the_stated_errors(mode):
    """6.5 % of 200 may be up to 21 (99 %). Taken for independent, 14 % of these comparisons go wrong."""
    question = ComparisonQuestion(mode)
    low, high = (
        simulate_comparisons(effect, question, COMPARISONS, correlation=0.3) for effect in (question.low, question.high)
    )

    assert share(low, SequentialVerdict.YES) <= 21 / COMPARISONS
    assert share(high, SequentialVerdict.NO) <= 21 / COMPARISONS
    assert np.mean([each.dependence is not Dependence.NONE for each in low]) > 0.6


@pytest.mark.slow
def test_independent_blocks_cost_few_more_games(monkeypatch):
    """The same scores, once with the rule for dependent blocks and once without: about 10 % more games."""
    question = ComparisonQuestion()
    with_rule = simulate_comparisons(question.low, question, COMPARISONS)
    monkeypatch.setattr(sequential, "variance_factor", lambda *_: 1.0)
    without = simulate_comparisons(question.low, question, COMPARISONS)

    games, fewer = (np.mean([each.games for each in outcomes]) for outcomes in (with_rule, without))
    assert fewer <= games < 1.15 * fewer


@pytest.mark.slow
def test_simulated_blocks_depend_on_each_other_as_much_as_asked():
    independent = as_plackett_and_luce(0.2, (1, 20_000), np.random.default_rng(1))
    scores = correlate(independent, 0.2, 0.3)[0]

    assert measure_autocorrelation(scores.tolist()) == pytest.approx(0.3, abs=0.03)
    assert scores.var() == pytest.approx(independent.var(), rel=0.1)
