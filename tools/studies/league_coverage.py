"""How often 95 % intervals hold the truth: leagues of bots with known strength are played by the model, and counted.

`make league-statistics` prints the figures; `test_coverage.py` tries a few leagues of each kind. Ratings should cover
the strengths that the bots have; where deals give luck to seats, what they come to in very many blocks. Mean scores
should cover the plain mean points in very many blocks. Beside it stands what games taken as independent of each other,
though they share a deal, would cover.
"""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from statistics import NormalDist

import numpy as np

from arena.competition.league.adjustment import Draw
from arena.competition.league.elo_scale import MEAN_RATING, POINTS_PER_THETA
from arena.competition.league.estimates import Interval
from arena.competition.league.model import Block, BlockResult
from arena.competition.league.rating import compute_ratings
from arena.competition.league.standings import compute_standings
from tests.competition.league.leagues import play_league

SEAT_TERMS = (0.15, 0.05, -0.05, -0.15)
MANY_BLOCKS = 10_000


@dataclass(frozen=True, slots=True)
class Kind:
    """Leagues of one kind."""

    entrants: int
    tables: int
    """In a block."""
    blocks: int
    spread: float = 0.7
    """Standard deviation of theta: 0.7 is 122 rating points."""
    luck: float = 0.0
    """Standard deviation of what a deal gives to a seat, in theta."""

    @property
    def strengths(self) -> list[float]:
        """Theta by entrant: as evenly spread as a normal distribution is, with mean 0."""
        parts = ((number + 0.5) / self.entrants for number in range(self.entrants))
        return [self.spread * NormalDist().inv_cdf(part) for part in parts]

    def league(self, source: np.random.Generator, blocks: int = 0) -> list[BlockResult]:
        size = blocks or self.blocks
        return play_league(source, self.strengths, size, tables=self.tables, seat_terms=SEAT_TERMS, luck=self.luck)


KINDS = (
    Kind(8, 2, 20),
    Kind(16, 2, 20),
    Kind(8, 2, 60),
    Kind(12, 3, 60),
    Kind(12, 3, 60, spread=1.4),
    Kind(16, 4, 300),
    Kind(12, 3, 60, luck=1.0),
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
        if kind.luck:
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


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of ratings, of mean scores, and of ratings if games were independent."""

    ratings: Count = field(default_factory=Count)
    scores: Count = field(default_factory=Count)
    as_if_independent: Count = field(default_factory=Count)

    def __add__(self, other: "Coverage") -> "Coverage":
        return Coverage(
            self.ratings + other.ratings,
            self.scores + other.scores,
            self.as_if_independent + other.as_if_independent,
        )


def names(kind: Kind) -> list[str]:
    return [f"bot{number}" for number in range(kind.entrants)]


def count_covering(kind: Kind, truth: Truth, draw_count: int, seed: int) -> Coverage:
    """Play one league and count the intervals that hold the truth."""
    results, coverage = kind.league(np.random.default_rng([kind.entrants, kind.blocks, seed])), Coverage()
    key = seed.to_bytes(4, "big")
    for row in compute_ratings(results, seed=key, draw_count=draw_count).rows:
        coverage.ratings.add(row.interval, truth.ratings[row.name])
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


HEAD = "entrants tables blocks spread luck | ratings, width | scores, width | ratings as if games were independent"


def line(kind: Kind, found: Coverage) -> str:
    """Return a kind's figures, below the head."""
    setting = f"{kind.entrants:8} {kind.tables:6} {kind.blocks:6} {kind.spread:6} {kind.luck:4}"
    rating, score = found.ratings, found.scores
    parted = f"{found.as_if_independent.percent:.1f} %" if kind.luck else ""
    figures = f"{rating.percent:5.1f} % {rating.mean_width:6.0f} | {score.percent:4.1f} % {score.mean_width:5.3f}"
    return f"{setting} | {figures} | {parted}"


def main(leagues: int = 500, draw_count: int = 200) -> None:
    print(f"{leagues} leagues of each kind, {draw_count} draws of the bootstrap", HEAD, sep="\n")
    for kind in KINDS:
        print(line(kind, simulate_leagues(kind, leagues, draw_count, os.cpu_count() or 1)), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
