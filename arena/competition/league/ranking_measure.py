"""Computes the figures that decide a league: the mean score or the rating of each entrant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import numpy as np

from arena.competition.league.estimates import (
    DRAWS_PER_BATCH,
    NORMAL_QUANTILE,
    Estimates,
    Floats,
    Interval,
    bootstrap_weights,
)
from arena.competition.league.rating import Ratings

BOUNDS: Final = (0.0, 1.0)
"""The lowest and highest possible mean points."""


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """The figures of all entrants that have played."""

    index: Mapping[str, int]
    """The index of each name in `estimates` and `groups`."""
    estimates: Estimates = field(repr=False)
    groups: Sequence[int]
    """The group of each entrant. Figures of different groups are not comparable."""
    known_intervals: Mapping[str, Interval] = field(default_factory=dict)
    """Intervals already computed, by name."""

    def score(self, name: str) -> float | None:
        """Return an entrant's figure, or None if the entrant has not played."""
        return float(self.estimates.values[self.index[name]]) if name in self.index else None

    def interval(self, name: str) -> Interval:
        if name in self.known_intervals:
            return self.known_intervals[name]
        return self.estimates.interval(self.index[name]) if name in self.index else Interval(None, None)

    def are_separable(self, name: str, other: str) -> bool:
        """Return whether the interval of the difference excludes 0; False if the two figures are not comparable."""
        if name not in self.index or other not in self.index:
            return False
        one, two = self.index[name], self.index[other]
        return self.groups[one] == self.groups[two] and self.estimates.are_separable(one, two)

    def is_ahead(self, name: str, other: str, quantile: float) -> bool:
        """Return whether this figure is above the other one by more than chance explains.

        `quantile` is that of the normal distribution for the allowed error: 1.96 asks that the 95 % interval of the
        difference lies above 0. Another value widens or narrows the interval in proportion.
        """
        one, two = self.index[name], self.index[other]
        lead = float(self.estimates.values[one] - self.estimates.values[two])
        low = self.estimates.difference_interval(one, two).low
        is_comparable = self.groups[one] == self.groups[two] and low is not None
        return is_comparable and lead > (lead - (low or 0)) * quantile / NORMAL_QUANTILE

    def rank_key(self, name: str) -> tuple[bool, float]:
        """Return a key that sorts names best first. Equal figures have equal keys; names without a figure come last."""
        score = self.score(name)
        return score is None, -round(score or 0, 9)


def measure_from_ratings(ratings: Ratings) -> RankingMeasure:
    """Return the measure of a league decided by ratings."""
    index = {name: number for number, name in enumerate(ratings.names)}
    return RankingMeasure(index, ratings.estimates, ratings.groups, {row.name: row.interval for row in ratings.rows})


def measure_from_scores(
    blocks: Sequence[Mapping[str, float]], seed: bytes, draw_count: int, bounds: tuple[float, float] = BOUNDS
) -> RankingMeasure:
    """Return the measure of a league decided by mean scores. Each block has the score of each of its entrants.

    `bounds` are the lowest and highest possible mean. A mean of adjusted points beyond them is set to the bound.
    """
    index = {name: number for number, name in enumerate(sorted({name for block in blocks for name in block}))}
    sums, games = np.zeros((2, len(blocks), len(index)))
    for row, block in enumerate(blocks):
        columns = [index[name] for name in block]
        sums[row, columns] = list(block.values())
        games[row, columns] = 1
    drawn = bootstrap_weights(len(blocks), draw_count if blocks else 0, seed)
    means = []
    while batch := list(islice(drawn, DRAWS_PER_BATCH)):
        means.append(_means(np.array(batch), sums, games))
    estimates = Estimates(
        np.clip(_means(np.ones((1, len(blocks))), sums, games)[0], *bounds),
        np.concatenate(means) if means else np.zeros((0, len(index))),
        np.count_nonzero(games, axis=0).tolist(),
        bounds,
    )
    return RankingMeasure(index, estimates, [0] * len(index))


def _means(weights: Floats, sums: Floats, games: Floats) -> Floats:
    return np.asarray((weights @ sums) / (weights @ games))
