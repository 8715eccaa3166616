"""How often a candidate that is worse by the margin passes `not-worse`, if it chooses when a budget in time ends.

    python -m tools.studies.compare_chosen_end [COMPARISONS]

The candidate sees its scores. It answers slowly, so that the budget ends, after the batch in which it looks best: the
batch, from the first one on, after which the interval could be widened most before it reaches beyond the margin. This
is measured for each factor that `CHOSEN_END_WIDTH` of `arena/competition/compare/budget_end.py` could have.
"""

import sys
from collections.abc import Sequence
from math import inf, sqrt

import numpy as np

from arena.competition.compare.budget_end import CHOSEN_END_WIDTH
from arena.competition.compare.estimate import estimate_effect
from arena.competition.compare.plain_estimate import estimate_plainly
from arena.competition.compare.sequential import (
    BATCH_BLOCKS,
    MIN_BLOCKS,
    UNCOUNTED_BLOCKS,
    ComparisonMode,
    ComparisonQuestion,
    ScoreSummary,
    SequentialVerdict,
)
from tools.studies.compare_simulated import (
    Model,
    as_plackett_and_luce,
    nearly_alike,
    rarely_lost,
    rarely_otherwise,
    simulate_comparisons,
)

PLAIN_HALF_WIDTH = 1.645
"""Half of a 90 % interval, in standard errors."""
MARGINS = (0.2, 0.4)
WIDTHS = (1.4, 1.6, 1.8, 2.0, 2.2, 2.5, 3.0, inf)


def rough_width(evidence: ScoreSummary, question: ComparisonQuestion) -> float:
    """Return by which factor the plain interval, which takes no time, can be widened. The exact one is not narrower."""
    error = sqrt(evidence.effective_variance(question) / max(1, evidence.count - UNCOUNTED_BLOCKS))
    return (evidence.mean - question.low) / (PLAIN_HALF_WIDTH * error)


def exact_width(evidence: ScoreSummary, question: ComparisonQuestion) -> float:
    """Return by which factor the interval can be widened before it reaches beyond the margin; 0 without an interval."""
    if evidence.count < MIN_BLOCKS:
        estimate = estimate_plainly(evidence, question)
    else:
        estimate = estimate_effect(evidence, question, SequentialVerdict.OPEN)
    return 0.0 if estimate is None else (estimate.value - question.low) / (estimate.value - estimate.low)


def find_largest_width(scores: Sequence[float], verdict: SequentialVerdict, question: ComparisonQuestion) -> float:
    """Return by which factor the interval can be widened after the best batch; infinite if the test says yes.

    Returns 0 for less than the smallest of `WIDTHS`.
    """
    if verdict is SequentialVerdict.YES:
        return inf
    ends = range(BATCH_BLOCKS, len(scores), BATCH_BLOCKS)  # after the last batch, the test says no
    summaries = [ScoreSummary.from_scores(scores[:end]) for end in ends]
    best = max((exact_width(each, question) for each in summaries if each.count < MIN_BLOCKS), default=0.0)
    later = [(rough_width(each, question), each.count, each) for each in summaries if each.count >= MIN_BLOCKS]
    for rough, _, evidence in sorted(later, reverse=True):
        if rough <= max(best, WIDTHS[0]):
            break
        best = max(best, exact_width(evidence, question))
    return best if best >= WIDTHS[0] else 0.0


def wrong_passes(comparisons: int, model: Model, margin: float = 0.2, correlation: float = 0.0) -> dict[float, float]:
    """Return the share of candidates that pass, for each width. With an infinite width, only the test lets them."""
    question = ComparisonQuestion(ComparisonMode.NOT_WORSE, margin)
    outcomes = simulate_comparisons(question.low, question, comparisons, model, correlation, seed=7)
    largest = np.array([find_largest_width(each.scores, each.verdict, question) for each in outcomes])
    return {width: float(np.mean(largest >= width)) for width in WIDTHS}


def main(comparisons: int) -> None:
    """Show the shares for several kinds of programs."""
    print(f"{comparisons} comparisons each; the factor is {CHOSEN_END_WIDTH:g}")
    models: dict[str, Model] = {
        "unlike": as_plackett_and_luce,
        "nearly alike": nearly_alike,
        "alike, but for rare games": rarely_otherwise,
        "alike, but for rare blocks": rarely_lost,
    }
    for name, model in models.items():
        for margin in MARGINS:
            shares = wrong_passes(comparisons, model, margin)
            texts = [f"{width:g}: {passing:.1%}" for width, passing in shares.items()]
            print(f"  {name}, margin {margin}: {', '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
