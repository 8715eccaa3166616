"""How often 95 % intervals hold the truth: leagues of bots with known strength are played by the model, and counted.

`make league-statistics` prints the figures; `test_coverage.py` tries a few leagues of each kind. Ratings should cover
the strengths that the bots have; in leagues that the model of the fit does not describe, what they come to in very many
blocks. Mean scores should cover the plain mean points in very many blocks. Beside it stands what games taken as
independent of each other, though they share a deal, would cover.
"""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from functools import partial
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.competition.league.adjustment import Draw
from arena.competition.league.elo_scale import MEAN_RATING, POINTS_PER_THETA
from arena.competition.league.estimates import Interval
from arena.competition.league.model import Block, BlockResult
from arena.competition.league.rating import compute_ratings
from arena.competition.league.standings import compute_standings
from tests.competition.league.leagues import play_league, where_only_the_winner_is_found

MANY_BLOCKS = 10_000
BEST_SEAT = 0.15
"""What the first seat is worth, in theta; the last one is worth as much less, and those between are evenly spread."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Leagues of one kind. All but the first five fields are switches that make it other than the model of the fit."""

    entrants: int
    tables: int
    """In a block."""
    blocks: int
    spread: float = 0.7
    """Standard deviation of theta: 0.7 is 122 rating points."""
    seats: int = 4
    luck: float = 0.0
    """Standard deviation of what a deal gives to a seat, in theta."""
    finds_winner_only: bool = False
    cycle: float = 0.0
    """What a bot gains if all opponents are of the kind that it beats, as in rock, paper, scissors."""
    drift: float = 0.0
    """Standard deviation of what a bot gains from the start of the league to its end."""
    harm: float = 0.0
    """What the weakest bot takes from the one on its left."""
    coarseness: float = 0.0
    """Strengths in the same step of this size share a place."""
    absence: float = 0.0
    """How often the second best stays away from tables that are stronger than usual, and comes last."""

    def __str__(self) -> str:
        usual = Kind(0, 0, 0)
        switches = [each.name for each in fields(Kind)[5:] if getattr(self, each.name) != getattr(usual, each.name)]
        words = ", ".join(f"{name.replace('_', ' ')} {getattr(self, name)}" for name in switches)
        return f"{self.entrants:8} {self.seats:5} {self.tables:6} {self.blocks:6} {self.spread:6} {words:22}"

    @property
    def strengths(self) -> list[float]:
        """Theta by entrant: as evenly spread as a normal distribution is, with mean 0."""
        return _even_normals(self.entrants, self.spread)

    @property
    def is_that_of_the_fit(self) -> bool:
        """Whether ratings should show the strengths. Otherwise they show what they come to in very many blocks."""
        switches = self.luck, self.cycle, self.drift, self.harm, self.coarseness, self.absence
        return not any(switches)

    def league(self, source: np.random.Generator, blocks: int = 0) -> list[BlockResult]:
        results = play_league(
            source,
            self.strengths,
            blocks or self.blocks,
            tables=self.tables,
            seats=self.seats,
            seat_terms=np.linspace(BEST_SEAT, -BEST_SEAT, self.seats).tolist(),
            luck=self.luck,
            gain=None if self.is_that_of_the_fit else partial(self._gain, source),
            coarseness=self.coarseness,
        )
        return where_only_the_winner_is_found(results) if self.finds_winner_only else results

    def _gain(self, source: np.random.Generator, who: NDArray[np.intp], moment: float) -> NDArray[np.float64]:
        """Return what the bots gain by who sits at their table and by the moment."""
        beats = np.array([0.0, 1.0, -1.0])[(who[:, None, :] - who[:, :, None]) % 3].sum(axis=2)
        slopes = np.random.default_rng(0).permutation(_even_normals(self.entrants, self.drift))
        gain = self.cycle * beats / (self.seats - 1) + slopes[who] * (moment - 0.5)
        gain -= self.harm * (np.roll(who, 1, axis=1) == 0)
        is_second, theta = who == self.entrants - 2, np.array(self.strengths)[who]
        is_strong = theta.sum(axis=1, keepdims=True) - theta > 0
        return np.where(is_second & is_strong & (source.random(who.shape) < self.absence), -_FAR, gain)


_FAR: Final = 100.0
"""No noise makes up for this much theta."""


def _even_normals(count: int, spread: float) -> list[float]:
    return [spread * NormalDist().inv_cdf((number + 0.5) / count) for number in range(count)]


KINDS = (
    Kind(8, 2, 20),
    Kind(16, 2, 20),
    Kind(8, 2, 60),
    Kind(12, 3, 60),
    Kind(12, 3, 60, spread=1.4),
    Kind(16, 4, 300),
    Kind(12, 3, 60, luck=1.0),
    *(Kind(12, 12 // seats, 160 // (12 // seats), 0.35, seats, finds_winner_only=True) for seats in (3, 4, 5)),
    Kind(12, 3, 53, 0.35, cycle=1.2),
    Kind(12, 3, 53, 0.35, drift=0.8),
    Kind(12, 3, 53, 0.35, harm=1.5),
    Kind(12, 3, 53, 0.35, coarseness=1.5),
    Kind(12, 3, 53, 0.35, absence=0.3),
)


@dataclass(frozen=True, slots=True)
class Truth:
    """What intervals should hold, by name."""

    ratings: dict[str, float]
    scores: dict[str, float]

    @classmethod
    def of(cls, kind: Kind, blocks: int) -> "Truth":
        """Return the strengths of the bots, and what very many blocks tell."""
        many = kind.league(np.random.default_rng(0), blocks)
        plain = compute_standings(names(kind), many, seed=b"", draw=Draw(is_even=False), draw_count=2)
        scores = {row.name: row.score or 0 for row in plain.rows}
        if not kind.is_that_of_the_fit:
            return cls({row.name: row.rating for row in compute_ratings(many, seed=b"", draw_count=2).rows}, scores)
        known = enumerate(kind.strengths)
        return cls({f"bot{number}": MEAN_RATING + POINTS_PER_THETA * theta for number, theta in known}, scores)


@dataclass(slots=True)
class Count:
    """How many intervals held the truth."""

    held: int = 0
    all: int = 0
    width: float = 0

    def add(self, interval: Interval, truth: float) -> None:
        self.held += interval.contains(truth)
        self.all += 1
        self.width += (interval.high or 0) - (interval.low or 0)

    def __add__(self, other: "Count") -> "Count":
        return Count(self.held + other.held, self.all + other.all, self.width + other.width)

    @property
    def percent(self) -> float:
        """How many of a hundred."""
        return 100 * self.held / self.all

    @property
    def mean_width(self) -> float:
        """In the figure's own unit."""
        return self.width / self.all


@dataclass(slots=True)
class Coverage:
    """Of ratings, of mean scores, and of ratings if games were independent."""

    ratings: Count = field(default_factory=Count)
    scores: Count = field(default_factory=Count)
    as_if_independent: Count = field(default_factory=Count)
    products: float = 0.0
    """The sum of true distances from the mean rating, times the measured ones."""
    squares: float = 0.0
    """The sum of the squares of true distances."""

    @property
    def slope(self) -> float:
        """How much of a true distance a rating shows, by least squares."""
        return self.products / self.squares

    def __add__(self, other: "Coverage") -> "Coverage":
        return Coverage(
            self.ratings + other.ratings,
            self.scores + other.scores,
            self.as_if_independent + other.as_if_independent,
            self.products + other.products,
            self.squares + other.squares,
        )


def names(kind: Kind) -> list[str]:
    return [f"bot{number}" for number in range(kind.entrants)]


def count_covering(kind: Kind, truth: Truth, draw_count: int, seed: int) -> Coverage:
    """Play one league and count the intervals that hold the truth."""
    results, coverage = kind.league(np.random.default_rng([kind.entrants, kind.blocks, seed])), Coverage()
    key = seed.to_bytes(4, "big")
    for row in compute_ratings(results, seed=key, draw_count=draw_count).rows:
        coverage.ratings.add(row.interval, truth.ratings[row.name])
        distance = truth.ratings[row.name] - MEAN_RATING
        coverage.products += distance * (row.rating - MEAN_RATING)
        coverage.squares += distance**2
    for standing in compute_standings(names(kind), results, seed=key, draw_count=draw_count).rows:
        coverage.scores.add(standing.interval, truth.scores[standing.name])
    if kind.luck:
        for row in compute_ratings(_split_into_games(results), seed=key, draw_count=draw_count).rows:
            coverage.as_if_independent.add(row.interval, truth.ratings[row.name])
    return coverage


def _split_into_games(results: Sequence[BlockResult]) -> list[BlockResult]:
    """Return the same games, each a block of its own."""
    tables = [table for result in results for table in result.tables]
    return [BlockResult(Block(number, 1, (table.seats,)), (table,)) for number, table in enumerate(tables)]


def simulate_leagues(
    kind: Kind, leagues: int, draw_count: int, workers: int = 1, many_blocks: int = MANY_BLOCKS
) -> Coverage:
    """Play many leagues of a kind."""
    one = partial(count_covering, kind, Truth.of(kind, many_blocks), draw_count)
    if workers == 1:
        return sum(map(one, range(leagues)), Coverage())
    with ProcessPoolExecutor(workers) as pool:
        return sum(pool.map(one, range(leagues), chunksize=5), Coverage())


HEAD = (
    "entrants seats tables blocks spread others                 | ratings, width, slope | scores, width"
    " | ratings as if games were independent"
)


def line(kind: Kind, found: Coverage) -> str:
    """Return a kind's figures, below the head."""
    rating, score = found.ratings, found.scores
    parted = f"{found.as_if_independent.percent:.1f} %" if kind.luck else ""
    figures = f"{rating.percent:5.1f} % {rating.mean_width:6.0f} {found.slope:5.2f} | {score.percent:4.1f} %"
    return f"{kind} | {figures} {score.mean_width:5.3f} | {parted}"


def main(leagues: int = 500, draw_count: int = 200) -> None:
    print(f"{leagues} leagues of each kind, {draw_count} draws of the bootstrap", HEAD, sep="\n")
    for kind in KINDS:
        print(line(kind, simulate_leagues(kind, leagues, draw_count, os.cpu_count() or 1)), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
