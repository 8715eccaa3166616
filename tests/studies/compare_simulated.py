"""Comparisons of programs of known strength, through the code that judges real ones: how often it errs, what it takes.

    python -m tests.studies.compare_simulated [COMPARISONS]

Games are drawn from the Plackett-Luce model (R. L. Plackett, Applied Statistics 24, 1975): who finishes first is chosen
by chances that are proportional to exp(strength + luck), then the second of those left, and so on. Luck belongs to a
hand: it is the same for whoever holds that seat of a deal.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from arena.compare.estimate import Estimate, estimate_effect
from arena.compare.lanes import Lanes
from arena.compare.scores import score_block
from arena.compare.sequential import (
    BATCH_BLOCKS,
    ComparisonMode,
    ComparisonQuestion,
    ScoreSummary,
    SequentialVerdict,
    run_sequential_test,
)
from arena.league.model import Block, BlockResult, TableResult

LANES = Lanes(("baseline", "honest", "counter"), b"seed")
FIELD = {"baseline": 0.0, "honest": -0.5, "counter": 0.5}
LUCK = 0.5
"""Standard deviation of a hand's luck."""
MAX_BLOCKS = 400


@dataclass(frozen=True)
class Outcome:
    """How a comparison ended."""

    question: ComparisonQuestion
    evidence: ScoreSummary
    verdict: SequentialVerdict

    @cached_property
    def estimate(self) -> Estimate:
        """Takes most of the time: it is made for those who ask."""
        return estimate_effect(self.evidence, self.question, self.verdict)


def block(strength: float, number: int, source: np.random.Generator) -> BlockResult:
    """Draw how a block goes with a candidate of that strength; the baseline has none."""
    strengths = {**FIELD, "candidate": strength}
    tables = [LANES.table(lane, number) for lane in range(2 * LANES.seats)]
    worth = np.array([[strengths[LANES.roles[name]] for name in table] for table in tables])
    worth += source.normal(0, LUCK, LANES.seats) + source.gumbel(size=worth.shape)  # Gumbel's trick: the model's order
    places = np.argsort(np.argsort(-worth)) + 1
    return BlockResult(
        Block(number, 1, tuple(tables)),
        tuple(
            TableResult("", names, tuple(row), "finished") for names, row in zip(tables, places.tolist(), strict=True)
        ),
    )


@lru_cache
def strength_for(effect: float) -> float:
    """Find the strength with which a candidate is better by so many places a game, with an error of about 0.005."""
    source, count = np.random.default_rng(1), 200_000
    luck = source.normal(0, LUCK, (2, count, LANES.seats)) + source.gumbel(size=(2, count, LANES.seats))
    others = luck[..., 1:] + [FIELD[role] for role in LANES.opponents]
    low, high = -3.0, 3.0
    for _ in range(20):
        middle = (low + high) / 2
        behind = [(luck[side, :, :1] + side * middle > others[side]).sum() / count for side in (0, 1)]
        low, high = (middle, high) if behind[1] - behind[0] < effect else (low, middle)
    return (low + high) / 2


Model = Callable[[float, int, np.random.Generator], float]
"""The score of a block: for an effect, the number of the block, and a source of chance."""


def as_plackett_and_luce(effect: float, number: int, source: np.random.Generator) -> float:
    """Games of programs that are unlike."""
    return score_block(block(strength_for(effect) if effect else 0.0, number, source), LANES)


def rarely_otherwise(effect: float, number: int, source: np.random.Generator) -> float:
    """Games of a candidate that plays like the baseline, but for a rare one that it wins or loses in full."""
    most = LANES.seats - 1
    return float(np.sign(effect) * most * source.binomial(LANES.seats, abs(effect) / most) / LANES.seats)


def rarely_lost(effect: float, number: int, source: np.random.Generator) -> float:
    """The same, but what it wins or loses rarely is a whole block, by half of all places."""
    most = (LANES.seats - 1) / 2
    return float(np.sign(effect) * most * (source.random() < abs(effect) / most))


def simulate_comparison(
    effect: float, question: ComparisonQuestion, seed: int, model: Model = as_plackett_and_luce, most: int = MAX_BLOCKS
) -> Outcome:
    """Compare a candidate that is better by so many places a game."""
    source = np.random.default_rng(seed)
    scores: list[float] = []
    count, verdict = 0, SequentialVerdict.OPEN
    while verdict is SequentialVerdict.OPEN and len(scores) < most:
        scores += [model(effect, len(scores) + 1 + each, source) for each in range(BATCH_BLOCKS)]
        count, verdict = run_sequential_test(scores, question)
    return Outcome(question, ScoreSummary.from_scores(scores[:count]), verdict)


def share(outcomes: Sequence[Outcome], verdict: SequentialVerdict) -> float:
    """How many of them ended so."""
    return float(np.mean([each.verdict is verdict for each in outcomes]))


def show(question: ComparisonQuestion, model: Model, comparisons: int) -> None:
    """Show it for no effect, half the margin and the margin."""
    print(
        f"{question.mode.value}, margin {question.margin}, errors {question.error:.0%}, {comparisons} comparisons each"
    )
    for effect in (question.low, question.middle, question.high):
        outcomes = [simulate_comparison(effect, question, seed, model) for seed in range(comparisons)]
        held = np.mean([each.estimate.low <= effect <= each.estimate.high for each in outcomes])
        above = np.mean([each.estimate.value > effect for each in outcomes])
        games = [each.evidence.count * 2 * LANES.seats for each in outcomes]
        print(
            f"  effect {effect:+.2f}: yes {share(outcomes, SequentialVerdict.YES):.1%},"
            f" no {share(outcomes, SequentialVerdict.NO):.1%};"
            f" games {np.mean(games):.0f} ({np.median(games):.0f} half of the time);"
            f" estimate too high {above:.0%}, 90 % interval holds {held:.1%}"
        )


def main(comparisons: int) -> None:
    """Show all modes with unlike programs, then the first two with programs that are nearly alike."""
    for mode in ComparisonMode:
        show(ComparisonQuestion(mode), as_plackett_and_luce, comparisons)
    for what, model in (("games", rarely_otherwise), ("blocks", rarely_lost)):
        print(f"nearly alike, but for rare {what}:")
        for margin in (0.2, 0.1):
            for mode in (ComparisonMode.BETTER, ComparisonMode.NOT_WORSE):
                show(ComparisonQuestion(mode, margin), model, comparisons)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
