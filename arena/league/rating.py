"""Ratings: the strength of entrants from all that they played, whomever they met, with what is not known about it.

A rating is 1500 + 400 / ln 10 * theta, theta from the Plackett-Luce fit, with mean 1500: as in Elo's scale, of two who
meet in seats that are alike the one with 400 more comes in ahead ten times as often as the other (A. E. Elo, The Rating
of Chessplayers, 1978). A difference means this whoever else sits at the table.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np

from arena.league.estimates import Estimates, Floats, Interval, bootstrap_weights
from arena.league.head_to_head import HeadToHead
from arena.league.model import BlockResult
from arena.league.plackett_luce import Finish, Fit, PlackettLuceModel, fit_model

POINTS_PER_THETA = 400 / log(10)
MEAN_RATING = 1500
PUBLISHED_DRAWS = 200
"""Of the bootstrap, for ratings that are shown or decide."""
MIN_ONE_SIDED_GAMES = 6
"""Games that all went the same way before they tell anything: by the sign test 5 prove nothing, 2 / 2^5 > 0.05."""
DRAW_TOLERANCE = 1e-4
"""Of theta, in the fits of the bootstrap: less than 0.02 rating points."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What an entrant is rated."""

    name: str
    rating: float
    interval: Interval
    """No end below for who never came in ahead of anybody, none above for who was never behind: no game tells of one.

    No end at all after one game, or fewer than `MIN_ONE_SIDED_GAMES` of these.
    """
    group: int = 0
    """Those of other groups never met it, not even through others: their ratings say nothing about each other."""
    is_separable: bool = True
    """From the next one of its group: the interval of the difference does not hold 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """All ratings of a league."""

    rows: tuple[Rating, ...]
    """Group by group, the largest first; in a group the best first."""
    seat_terms: tuple[float, ...]
    """By seat: rating points that sitting there is worth; their sum is 0."""
    names: tuple[str, ...] = field(repr=False)
    """In the order in which the estimates have them."""
    estimates: Estimates = field(repr=False)
    groups: tuple[int, ...] = field(repr=False)

    def win_probability(self, name: str, other: str) -> float | None:
        """Return the probability that the one comes in ahead of the other when they meet, seats being alike.

        The mean over the bootstrap, so that it is nearer to a half the less is known. None if they are not linked.
        """
        one, two = self.names.index(name), self.names.index(other)
        if self.groups[one] != self.groups[two]:
            return None
        difference = self.estimates.draws[:, one] - self.estimates.draws[:, two]
        return float(np.mean(1 / (1 + np.exp(-difference / POINTS_PER_THETA))))

    def are_separable(self, name: str, other: str) -> bool:
        """Return whether the interval of the difference does not hold 0; never so for those who are not linked."""
        one, two = self.names.index(name), self.names.index(other)
        return self.groups[one] == self.groups[two] and self.estimates.are_separable(one, two)


def compute_ratings(results: Sequence[BlockResult], *, seed: bytes, draw_count: int = 1000) -> Ratings:
    """Rate everybody who played, from all blocks, with so many draws of the bootstrap.

    The order of the results does not matter. Forfeits are last places like others. All tables have the same number of
    seats; there is at least one.
    """
    (whole,) = compute_ratings_over_time(results, {len(results): draw_count}, seed=seed)
    return whole


def compute_ratings_over_time(
    results: Sequence[BlockResult], draw_counts: Mapping[int, int], *, seed: bytes
) -> Iterator[Ratings]:
    """Rate everybody who had played by then, after some numbers of blocks, ascending, each with so many draws."""
    ordered = sorted(results, key=lambda result: result.block.number)
    names = tuple(sorted({name for result in ordered for table in result.tables for name in table.seats}))
    model = PlackettLuceModel.from_finishes(_finishes(ordered, names), len(names), len(ordered[0].tables[0].seats))
    meetings, games, done = HeadToHead.from_results(names, ()), Counter[str](), 0
    for count, draw_count in draw_counts.items():
        new, done = ordered[done:count], count
        meetings += HeadToHead.from_results(names, new)
        games.update(name for result in new for name in result.block.names)
        yield _fit_ratings(model.first_blocks(count), meetings, games, seed, draw_count)


def _fit_ratings(
    model: PlackettLuceModel, meetings: HeadToHead, games: Counter[str], seed: bytes, draw_count: int
) -> Ratings:
    """Fit a model and draw its bootstrap; `games`: in how many blocks each has played."""
    groups = meetings.linked_groups()
    best = fit_model(model, np.ones(model.weight_count))
    drawn = bootstrap_weights(model.weight_count, draw_count, seed)
    draws = np.array(
        [_on_scale(fit_model(model, weights, best, tolerance=DRAW_TOLERANCE), groups) for weights in drawn]
    )
    estimates = Estimates(_on_scale(best, groups), draws, _informative_block_counts(games, meetings))
    seat_terms = best.terms[len(meetings.names) :]
    scaled = tuple(((seat_terms - seat_terms.mean()) * POINTS_PER_THETA).tolist())
    return Ratings(tuple(_rows(estimates, meetings)), scaled, meetings.names, estimates, groups)


def _finishes(results: Sequence[BlockResult], names: Sequence[str]) -> Iterator[Finish]:
    index = {name: number for number, name in enumerate(names)}
    for block, result in enumerate(results):
        for table in result.tables:
            yield Finish(block, tuple(index[name] for name in table.seats), table.places)


def _informative_block_counts(counts: Counter[str], meetings: HeadToHead) -> list[int]:
    """Return in how many blocks each entrant played, 0 where these are too few to tell anything."""
    sides = zip(meetings.names, _has_won_and_lost(meetings), strict=True)
    return [counts[name] if all(both) or counts[name] >= MIN_ONE_SIDED_GAMES else 0 for name, both in sides]


def _has_won_and_lost(meetings: HeadToHead) -> list[tuple[bool, bool]]:
    """Return of each entrant whether it ever came in ahead of somebody, and behind."""
    ahead, games = meetings.ahead.sum(axis=1), meetings.games.sum(axis=1)
    return list(zip((ahead > 0).tolist(), (ahead < games).tolist(), strict=True))


def _on_scale(one: Fit, groups: Sequence[int]) -> Floats:
    """Return the ratings of a fit, each group's mean being the scale's."""
    number = np.array(groups)
    theta = one.terms[: len(number)]
    means = np.bincount(number, theta) / np.bincount(number)
    return np.asarray(MEAN_RATING + POINTS_PER_THETA * (theta - means[number]))


def _rows(estimates: Estimates, meetings: HeadToHead) -> Iterator[Rating]:
    """Yield the rows of those who have played, in order."""
    names, groups, sides = meetings.names, meetings.linked_groups(), _has_won_and_lost(meetings)
    sizes = Counter(groups)

    def rank(index: int) -> tuple[int, int, float, str]:
        return -sizes[groups[index]], groups[index], -float(estimates.values[index]), names[index]

    order = sorted(np.flatnonzero(meetings.games.sum(axis=1)).tolist(), key=rank)
    for index, following in zip(order, [*order[1:], order[-1]], strict=True):
        is_last = following == index or groups[following] != groups[index]
        is_separable = is_last or estimates.are_separable(index, following)
        interval = _without_unsupported_ends(estimates.interval(index), *sides[index])
        yield Rating(names[index], float(estimates.values[index]), interval, groups[index], is_separable)


def _without_unsupported_ends(interval: Interval, was_ahead: bool, was_behind: bool) -> Interval:
    """Return the interval without the ends of which no game tells."""
    return Interval(interval.low if was_ahead else None, interval.high if was_behind else None)
