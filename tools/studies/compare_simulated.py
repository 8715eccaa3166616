"""Comparisons of programs of known strength, judged by the code that judges real ones.

Games are drawn from the Plackett-Luce model (R. L. Plackett, Applied Statistics 24, 1975): who finishes first is chosen
by chances that are proportional to exp(strength + luck), then the second of those left, and so on. Luck belongs to a
hand: it is the same for whoever holds that seat of a deal.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from arena.competition.compare.dependence import Dependence
from arena.competition.compare.estimate import Estimate, estimate_effect
from arena.competition.compare.lanes import Lanes
from arena.competition.compare.sequential import (
    ComparisonQuestion,
    ScoreSummary,
    SequentialVerdict,
    run_sequential_test,
)
from arena.competition.compare.trend import Trend, find_trend
from arena.competition.compare.unseen_blow import find_unseen_blow

Floats = NDArray[np.float64]
LANES = Lanes(("baseline", "honest", "counter"), b"seed")
FIELD = {"baseline": 0.0, "honest": -0.5, "counter": 0.5}
LUCK = 0.5
"""Standard deviation of a hand's luck."""
POOL_BLOCKS = 60_000
"""Blocks that are drawn once for each effect. Comparisons draw their blocks from these."""
NEARLY_ALIKE = 0.75
"""The share of pairs of games in which two programs that are nearly alike have the same luck throughout the game."""
_GROUP = 100
"""Comparisons whose scores are drawn at the same time."""

Model = Callable[[float, tuple[int, int], np.random.Generator], Floats]
"""Scores of independent blocks: for an effect, the numbers of comparisons and of blocks, and a source of chance."""


@dataclass(frozen=True)
class Outcome:
    """How a comparison ended."""

    question: ComparisonQuestion
    scores: Sequence[float]
    """The scores of the blocks that count."""
    verdict: SequentialVerdict
    voids: int = 0
    """The number of void attempts at these blocks."""

    @property
    def games(self) -> int:
        """The number of games that count."""
        return len(self.scores) * 2 * LANES.seats

    @cached_property
    def evidence(self) -> ScoreSummary:
        return ScoreSummary.from_scores(self.scores)

    @cached_property
    def dependence(self) -> Dependence:
        """Whether the comparison says that its blocks depend on each other."""
        return self.evidence.dependence

    @cached_property
    def trend(self) -> Trend | None:
        return find_trend(self.scores)

    @cached_property
    def is_told(self) -> bool:
        """Whether the answer says that there is a tail, or what rare blocks it cannot exclude."""
        has_tail = self.evidence.tail_factor(self.question) > 1
        return has_tail or find_unseen_blow(self.evidence, self.question) is not None

    @cached_property
    def estimate(self) -> Estimate:
        """Takes most of the time: it is made for those who ask."""
        return estimate_effect(self.evidence, self.question, self.verdict)


@lru_cache
def strength_for(effect: float) -> float:
    """Find the strength with which a candidate is better by so many places a game, with an error of about 0.01."""
    source, count = np.random.default_rng(1), 50_000
    luck = source.normal(0, LUCK, (2, count, LANES.seats)) + source.gumbel(size=(2, count, LANES.seats))
    others = luck[..., 1:] + [FIELD[role] for role in LANES.opponents]
    low, high = -4.0, 4.0
    for _ in range(20):
        middle = (low + high) / 2
        behind = [(luck[side, :, :1] + side * middle > others[side]).sum() / count for side in (0, 1)]
        low, high = (middle, high) if behind[1] - behind[0] < effect else (low, middle)
    return (low + high) / 2


def draw_places(strength: float, numbers: Sequence[int], source: np.random.Generator, alike: float = 0.0) -> Floats:
    """Draw the places of a candidate of that strength and of the baseline: by block, seat, and program.

    `alike` is the share of pairs of games that have the same luck throughout the game.
    """
    strengths, seats = {**FIELD, "candidate": strength}, LANES.seats
    tables = [[LANES.table(lane, number) for lane in range(2 * seats)] for number in numbers]
    worth = np.array([[[strengths[LANES.roles[name]] for name in table] for table in block] for block in tables])
    chance = source.gumbel(size=worth.shape)  # Gumbel's trick: the model's order
    same = source.random((len(numbers), seats)) < alike
    chance[:, 1::2][same] = chance[:, ::2][same]
    worth += source.normal(0, LUCK, (len(numbers), 1, seats)) + chance
    own = worth[:, np.arange(2 * seats), np.arange(2 * seats) // 2]
    places: Floats = 1.0 + (worth > own[..., None]).sum(2)
    return places.reshape(len(numbers), seats, 2)


@lru_cache
def _pool(effect: float, alike: float) -> Floats:
    """Return the scores of blocks with exactly this effect."""
    source, strength = np.random.default_rng(2), strength_for(effect) if effect else 0.0
    turns = range(LANES.seats - 1)  # opponents rotate, so later blocks are like these
    parts = [draw_places(strength, [*turns] * 1000, source, alike) for _ in range(POOL_BLOCKS // 1000 // len(turns))]
    places = np.concatenate(parts)
    scores: Floats = (places[..., 1] - places[..., 0]).mean(1)
    return scores - scores.mean() + effect if effect or not alike else scores


def as_plackett_and_luce(
    effect: float, shape: tuple[int, int], source: np.random.Generator, alike: float = 0.0
) -> Floats:
    """Games of programs that are unlike, or alike in a share of their games."""
    return source.choice(_pool(effect, alike), shape)


nearly_alike = partial(as_plackett_and_luce, alike=NEARLY_ALIKE)
"""Games of programs that differ a little."""


def rarely_otherwise(effect: float, shape: tuple[int, int], source: np.random.Generator) -> Floats:
    """Games of a candidate that plays like the baseline, but for a rare one that it wins or loses in full."""
    most = LANES.seats - 1
    scores: Floats = np.sign(effect) * most * source.binomial(LANES.seats, abs(effect) / most, shape) / LANES.seats
    return scores


def rarely_lost(effect: float, shape: tuple[int, int], source: np.random.Generator) -> Floats:
    """The same, but what it wins or loses rarely is a whole block, by half of all places."""
    most = (LANES.seats - 1) / 2
    scores: Floats = np.sign(effect) * most * (source.random(shape) < abs(effect) / most)
    return scores


def correlate(scores: Floats, effect: float, correlation: float) -> Floats:
    """Return scores with the same mean and variance, each of which depends on the one before it: an AR(1) process."""
    new: Floats = (scores - effect) * np.sqrt(1 - correlation**2)
    new[:, 0] = scores[:, 0] - effect
    for index in range(1, scores.shape[1]):
        new[:, index] += correlation * new[:, index - 1]
    return new + effect


def most_blocks(question: ComparisonQuestion) -> int:
    """Return a number of blocks after which nearly all tests have ended."""
    return round(40 / question.margin**2)


def simulate_comparisons(
    effect: float,
    question: ComparisonQuestion,
    comparisons: int,
    model: Model = as_plackett_and_luce,
    correlation: float = 0.0,
    seed: int = 0,
) -> list[Outcome]:
    """Compare a candidate that is better by so many places a game, again and again."""
    source, outcomes, most = np.random.default_rng(seed), list[Outcome](), most_blocks(question)
    while len(outcomes) < comparisons:
        scores = model(effect, (min(_GROUP, comparisons - len(outcomes)), most), source)
        for row in correlate(scores, effect, correlation) if correlation else scores:
            values = row.tolist()
            count, verdict = run_sequential_test(values, question)
            outcomes.append(Outcome(question, values[:count], verdict))
    return outcomes


def share(outcomes: Sequence[Outcome], verdict: SequentialVerdict) -> float:
    """How many of them ended so."""
    return float(np.mean([each.verdict is verdict for each in outcomes]))
