"""Kinds of blocks for which the sequential test is tried: how scores scatter, hang together, drift, or are voided."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Final

import numpy as np

from arena.competition.compare.sequential import ComparisonQuestion, run_sequential_test
from arena.organizer.compare.comparison_run import MAX_SPARED_SHARE, MAX_VOID_SHARE, MAX_VOIDS
from tools.studies.compare_simulated import (
    Floats,
    Model,
    Outcome,
    as_plackett_and_luce,
    correlate,
    most_blocks,
    nearly_alike,
    rarely_lost,
    rarely_otherwise,
    simulate_comparisons,
)

Shape = tuple[int, int]
Source = np.random.Generator
USUAL = 0.72
"""Standard deviation of a block's score between programs that are quite different."""


def scattered(
    effect: float, shape: Shape, source: Source, noise: Callable[[Source, Shape], Floats], most: float = np.inf
) -> Floats:
    """Blocks whose scores have this noise, within ±`most`."""
    return effect + np.clip(noise(source, shape), -most, most)


def student(source: Source, shape: Shape) -> Floats:
    """Noise with heavy tails: Student's t with 3 degrees of freedom, and a deviation of 1."""
    return source.standard_t(3, shape) / sqrt(3)


def unequal(source: Source, shape: Shape) -> Floats:
    """Noise of blocks of 1 to 30 games, each with a deviation of 3 places."""
    return source.normal(0, 3, shape) / np.sqrt(source.integers(1, 31, shape))


def rotating(source: Source, shape: Shape) -> Floats:
    """Noise of blocks against four opponents in turn, against whom the candidate does differently well."""
    turns: Floats = np.resize([0.6, -0.6, 0.2, -0.2], shape[1]) + source.normal(0, USUAL, shape)
    return turns


def skewed(effect: float, shape: Shape, source: Source, lost: float, places: float, deviation: float) -> Floats:
    """Blocks of a candidate that loses this share of them by `places`, and does better in the rest."""
    usual = (effect + lost * places) / (1 - lost)
    scores: Floats = np.where(source.random(shape) < lost, -places, usual) + source.normal(0, deviation, shape)
    return scores


def correlated(effect: float, shape: Shape, source: Source, correlation: float) -> Floats:
    return correlate(as_plackett_and_luce(effect, shape, source), effect, correlation)


def drifting(effect: float, shape: Shape, source: Source, begin: float, blocks: int, is_sudden: bool = False) -> Floats:
    """Blocks of a candidate whose effect goes from `begin` to `effect` over `blocks` blocks, or all at once then."""
    way = np.clip(np.arange(shape[1]) / blocks, 0, 1)
    if is_sudden:
        way = np.floor(way)
    return as_plackett_and_luce(0.0, shape, source) + begin + (effect - begin) * way


@dataclass(frozen=True)
class Voiding:
    """Which blocks a program voids by delays: those with a score below `bad`, or above if it is the baseline."""

    limit: float
    """The accepted share of void blocks."""
    bad: float = -0.8
    """By default about one block in eight of equal programs."""
    share: float = 1.0
    """Which share of these blocks it voids."""
    side: int = 1
    """1 for the candidate, -1 for the baseline."""
    is_careful: bool = True
    """Whether it stays within the limit. Otherwise the comparison may end as unsteady."""


def void_blocks(
    scores: Sequence[float], voiding: Voiding, source: Source
) -> tuple[list[float], dict[int, list[float]]]:
    """Return the scores that count and those of void attempts, by block, up to the end or to the limit."""
    counted, voided, voids = list[float](), dict[int, list[float]](), 0
    for score in scores:
        is_wanted = voiding.side * score < voiding.bad and source.random() < voiding.share
        is_within = voids < max(MAX_VOIDS, voiding.limit * (len(counted) + 1))
        if is_wanted and is_within:
            voided.setdefault(len(counted), []).append(score)
            voids += 1
        elif is_wanted and not voiding.is_careful:
            break
        else:
            counted.append(score)
    return counted, voided


def simulate_voiding(
    effect: float, question: ComparisonQuestion, comparisons: int, model: Model, voiding: Voiding
) -> list[Outcome]:
    """Compare two programs, one of which voids blocks. A comparison without a verdict is unsteady."""
    source, outcomes = np.random.default_rng(0), list[Outcome]()
    for _ in range(comparisons):
        counted, voided = void_blocks(model(effect, (1, most_blocks(question)), source)[0].tolist(), voiding, source)
        count, verdict = run_sequential_test(counted, question, voided)
        voids = sum(len(each) for index, each in voided.items() if index < count)
        outcomes.append(Outcome(question, counted[:count], verdict, voids))
    return outcomes


@dataclass(frozen=True)
class Kind:
    model: Model
    voiding: Voiding | None = None

    def simulate(self, effect: float, question: ComparisonQuestion, comparisons: int) -> list[Outcome]:
        if self.voiding is None:
            return simulate_comparisons(effect, question, comparisons, self.model)
        return simulate_voiding(effect, question, comparisons, self.model, self.voiding)


_some_bad = partial(Voiding, bad=0.0, share=0.15, is_careful=False)
KINDS: Final[Mapping[str, Kind]] = {
    "quite different (Plackett-Luce)": Kind(as_plackett_and_luce),
    "nearly alike": Kind(nearly_alike),
    "alike, but for rare games": Kind(rarely_otherwise),
    "alike, but for rare blocks, by 1.5": Kind(rarely_lost),
    "Student's t, 3 degrees of freedom": Kind(partial(scattered, noise=student)),
    "the same within 3 places": Kind(partial(scattered, noise=student, most=2.8)),
    "autocorrelation 0.3": Kind(partial(correlated, correlation=0.3)),
    "autocorrelation 0.6": Kind(partial(correlated, correlation=0.6)),
    "blocks of 1 to 30 games": Kind(partial(scattered, noise=unequal)),
    "opponents in turn": Kind(partial(scattered, noise=rotating)),
    **{
        f"{lost:.0%} lost by {places}, deviation {deviation}": Kind(
            partial(skewed, lost=lost, places=places, deviation=deviation)
        )
        for lost, places, deviation in (
            (0.08, 2.6, 0.1), (0.05, 2.6, 0.3), (0.12, 2.0, 0.2), (0.15, 1.5, 0.1), (0.08, 2.6, USUAL), (0.08, 1.5, 0.5)
        )
    },
    "15 % of bad blocks void, own delays": Kind(as_plackett_and_luce, _some_bad(MAX_SPARED_SHARE)),
    "15 % of bad blocks void, delays of others": Kind(as_plackett_and_luce, _some_bad(MAX_VOID_SHARE)),
    "the baseline voids 15 % of its bad blocks": Kind(as_plackett_and_luce, _some_bad(MAX_VOID_SHARE, side=-1)),
    "worst blocks void, own delays": Kind(as_plackett_and_luce, Voiding(MAX_SPARED_SHARE)),
    "worst blocks void, delays of others": Kind(as_plackett_and_luce, Voiding(MAX_VOID_SHARE)),
}  # fmt: skip
"""Each has the effect that is asked for, whatever else its scores do."""
DRIFTS: Final[Mapping[str, Kind]] = {
    "from +0.2 to -0.2 within 120 blocks": Kind(partial(drifting, begin=0.2, blocks=120)),
    "from +0.2 to -0.2 after 24 blocks": Kind(partial(drifting, begin=0.2, blocks=24, is_sudden=True)),
    "from +0.2 to -0.2 after 100 blocks": Kind(partial(drifting, begin=0.2, blocks=100, is_sudden=True)),
}
