"""Computes ratings: the strength of each entrant from all its games, against any opponents, with its uncertainty.

A rating is 1500 + 400 / ln 10 * (theta - mean theta). Theta comes from the Plackett-Luce fit. Its mean is taken over
the entrant's group, so the mean rating of a group is 1500. The scale is Elo's. If two entrants sit in equal seats and
one has 400 points more, that one finishes ahead ten times as often as the other (A. E. Elo, The Rating of Chessplayers,
1978). This does not depend on who else sits at the table. Games in which both share the last place do not count here.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import log, pi, sqrt
from typing import NamedTuple

import numpy as np

from arena.competition.league.accomplices import NO_ACCOMPLICES, Accomplices
from arena.competition.league.elo_scale import MEAN_RATING, POINTS_PER_THETA
from arena.competition.league.estimates import NORMAL_QUANTILE, Estimates, Floats, Interval, bootstrap_weights
from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import BlockResult
from arena.competition.league.plackett_luce import PSEUDO_COUNT, Finish, Fit, PlackettLuceModel, fit_model
from arena.competition.league.prior import add_prior

PUBLISHED_DRAWS = 200
"""Number of bootstrap draws for ratings that are published or decide a league."""
MIN_ONE_SIDED_GAMES = 6
"""The smallest number of games, all won or all lost, that counts as evidence.

By the sign test five games are too few, because 2 / 2^5 > 0.05.
"""
ONE_SIDED_FACTOR = log(-log(0.025) / PSEUDO_COUNT) / (NORMAL_QUANTILE * pi / sqrt(6))
"""By how much the draws of an entrant that won or lost all its games spread too little.

Only the ghost's weight keeps its rating finite. So its draws of theta spread like the logarithm of an exponential
variable, by pi / sqrt(6). But whoever lost every game may have been due 3.7 wins, because exp(-3.7) is 2.5 %, and is
rated as if it had `PSEUDO_COUNT` of one. With a prior or with the old judgement the factor is 1.
"""
DRAW_TOLERANCE = 1e-4
"""Tolerance of theta in the bootstrap's fits, less than 0.02 rating points."""


class _Bootstrap(NamedTuple):
    """How a fit is drawn again."""

    seed: bytes
    draw_count: int
    shares: Floats | None
    """For how many games each weight of the model stands; None if each stands for one, and there is no prior."""


@dataclass(frozen=True, slots=True)
class Rating:
    name: str
    rating: float
    interval: Interval
    """`low` is None if the entrant never finished ahead of another one, and `high` is None if it never finished behind
    one. In these cases no game limits the rating on that side. Both are None after one game, or after fewer than
    `MIN_ONE_SIDED_GAMES` games that were all won or all lost.
    """
    group: int = 0
    """The number of the entrant's group. A prior, or shared tables that one of two won, link the entrants of a group.
    Ratings of different groups are not comparable."""
    is_separable: bool = True
    """Whether the interval of the difference to the next rating of the group excludes 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    rows: tuple[Rating, ...]
    """The largest group first, and the best first within a group."""
    seat_terms: tuple[float, ...]
    """The rating points that each seat is worth. Their sum is 0."""
    names: tuple[str, ...] = field(repr=False)
    """All names, in the order of `estimates` and `groups`."""
    estimates: Estimates = field(repr=False)
    groups: tuple[int, ...] = field(repr=False)
    unranked: Collection[str] = ()
    """The names whose ratings are too uncertain for a rank."""
    judgement: Judgement = Judgement.NEW
    has_prior: bool = False

    def win_probability(self, name: str, other: str) -> float | None:
        """Return the probability that `name` finishes ahead of `other` in equal seats; None if they are not linked.

        The probability is the mean over the bootstrap draws. The less is known, the closer the probability is to one
        half.
        """
        one, two = self.names.index(name), self.names.index(other)
        if self.groups[one] != self.groups[two]:
            return None
        difference = self.estimates.draws[:, one] - self.estimates.draws[:, two]
        return float(np.mean(1 / (1 + np.exp(-difference / POINTS_PER_THETA))))

    def are_separable(self, name: str, other: str) -> bool:
        """Return whether the interval of the difference excludes 0; False if the two are not linked."""
        one, two = self.names.index(name), self.names.index(other)
        return self.groups[one] == self.groups[two] and self.estimates.are_separable(one, two)


def compute_ratings(
    results: Sequence[BlockResult],
    *,
    seed: bytes,
    draw_count: int = 1000,
    weights_in_mean: Mapping[str, float] | None = None,
    drawn_alike: Collection[str] = (),
    judgement: Judgement = Judgement.NEW,
    accomplices: Accomplices = NO_ACCOMPLICES,
) -> Ratings:
    """Return the ratings of all entrants that played, with `draw_count` draws of the bootstrap.

    The order of the results does not matter. Forfeits count as last places. There must be at least one result, and no
    table may have more seats than the first one.

    `weights_in_mean` has the weight of each entrant in the mean of its group, which is `MEAN_RATING`; None means equal
    weights. Where entrants come and go, those with few games would make the ratings of all others less certain.

    `drawn_alike` has the entrants whose strengths are known to be alike before their first games (`prior.py`). Without
    them there is no prior, and all blocks count in full.

    An entrant with `accomplices` has the lower of two ratings: of all games, and of those at which no entrant sat with
    an accomplice of its own.
    """
    (whole,) = compute_ratings_over_time(
        results,
        {len(results): draw_count},
        seed=seed,
        weights_in_mean=weights_in_mean,
        drawn_alike=drawn_alike,
        judgement=judgement,
        accomplices=accomplices,
    )
    return whole


def compute_ratings_over_time(
    results: Sequence[BlockResult],
    draw_counts: Mapping[int, int],
    *,
    seed: bytes,
    weights_in_mean: Mapping[str, float] | None = None,
    drawn_alike: Collection[str] = (),
    judgement: Judgement = Judgement.NEW,
    accomplices: Accomplices = NO_ACCOMPLICES,
) -> Iterator[Ratings]:
    """Yield the ratings after each number of blocks in `draw_counts`, in ascending order.

    `draw_counts` maps each number of blocks to a number of bootstrap draws. The rest is as in `compute_ratings`.
    """
    ordered = sorted(results, key=lambda result: result.block.number)
    names = tuple(sorted({name for result in ordered for table in result.tables for name in table.seats}))
    model = build_model(ordered, names, halves_last_tie=judgement.halves_last_tie)
    weights = np.array([1.0 if weights_in_mean is None else weights_in_mean[name] for name in names])
    alike = np.array([name in drawn_alike for name in names])
    shares = np.array([result.share for result in ordered])
    number = {name: index for index, name in enumerate(names)}
    pairs = [(number[name], number[helper]) for name, helpers in accomplices.items() for helper in sorted(helpers)]
    meetings, games, done = HeadToHead.from_results(names, ()), Counter[str](), 0
    for count, draw_count in draw_counts.items():
        new, done = ordered[done:count], count
        meetings += HeadToHead.from_results(names, new, leaves_out_last_tie=not judgement.halves_last_tie)
        games.update(name for result in new for name in result.block.names)
        part, known = model.first_blocks(count), None
        if drawn_alike:
            part, known = add_prior(part, shares[:count], alike, np.array([games[name] > 0 for name in names]))
        factor = 1.0 if judgement.halves_last_tie or drawn_alike else ONE_SIDED_FACTOR
        rated = _fit_ratings(part, meetings, games, weights, _Bootstrap(seed, draw_count, known), factor, pairs)
        yield replace(rated, judgement=judgement, has_prior=bool(drawn_alike))


def build_model(
    results: Sequence[BlockResult], names: Sequence[str], *, halves_last_tie: bool = False
) -> PlackettLuceModel:
    """Return the model of these results, with terms in the order of the names."""
    index = {name: number for number, name in enumerate(names)}
    finishes = (
        Finish(block, tuple(index[name] for name in table.seats), table.places)
        for block, result in enumerate(results)
        for table in result.tables
    )
    seats = len(results[0].tables[0].seats)
    return PlackettLuceModel.from_finishes(finishes, len(names), seats, halves_last_tie=halves_last_tie)


def _fit_ratings(
    model: PlackettLuceModel,
    meetings: HeadToHead,
    games: Counter[str],
    weights_in_mean: Floats,
    bootstrap: _Bootstrap,
    one_sided_factor: float,
    helped: Sequence[tuple[int, int]],
) -> Ratings:
    """Return the ratings from a fitted model and its bootstrap.

    `games` has each name's number of blocks. `one_sided_factor` widens the draws of entrants that won or lost all their
    games. `helped` has entrants, each with an accomplice.
    """
    groups = meetings.linked_groups() if bootstrap.shares is None else (0,) * len(meetings.names)  # a prior links all
    scale = partial(_on_scale, groups=groups, weights=weights_in_mean)
    best, values, draws = _draw_ratings(model, scale, bootstrap)
    if helped:
        _, alone, alone_draws = _draw_ratings(model.without_pairs(helped), scale, bootstrap)
        is_lower = np.isin(np.arange(len(values)), [entrant for entrant, _ in helped]) & (alone < values)
        values, draws = np.where(is_lower, alone, values), np.where(is_lower, alone_draws, draws)
    is_one_sided = np.array([not all(both) for both in _has_won_and_lost(meetings)])
    draws = values + np.where(is_one_sided, one_sided_factor, 1.0) * (draws - values)
    estimates = Estimates(values, draws, _informative_block_counts(games, meetings))
    seat_terms = best.terms[len(meetings.names) :]
    scaled = tuple(((seat_terms - seat_terms.mean()) * POINTS_PER_THETA).tolist())
    return Ratings(tuple(_rows(estimates, meetings, groups, games)), scaled, meetings.names, estimates, groups)


def _draw_ratings(
    model: PlackettLuceModel, scale: Callable[[Fit], Floats], bootstrap: _Bootstrap
) -> tuple[Fit, Floats, Floats]:
    """Return the fit, the ratings, and the draws of the ratings."""
    seed, draw_count, shares = bootstrap
    best = fit_model(model, np.ones(model.weight_count) if shares is None else shares)
    drawn = bootstrap_weights(model.weight_count, draw_count, seed, shares)
    draws = [scale(fit_model(model, weights, best, tolerance=DRAW_TOLERANCE)) for weights in drawn]
    return best, scale(best), np.array(draws)


def _informative_block_counts(counts: Counter[str], meetings: HeadToHead) -> list[int]:
    """Return the number of blocks that each entrant played, or 0 if they are too few to be evidence."""
    sides = zip(meetings.names, _has_won_and_lost(meetings), strict=True)
    return [counts[name] if all(both) or counts[name] >= MIN_ONE_SIDED_GAMES else 0 for name, both in sides]


def _has_won_and_lost(meetings: HeadToHead) -> list[tuple[bool, bool]]:
    """Return for each entrant whether it was ever ahead of another one, and whether it was ever behind another one."""
    ahead, games = meetings.ahead.sum(axis=1), meetings.games.sum(axis=1)
    return list(zip((ahead > 0).tolist(), (ahead < games).tolist(), strict=True))


def _on_scale(one: Fit, groups: Sequence[int], weights: Floats) -> Floats:
    """Return the ratings of a fit, shifted so that the weighted mean of each group is `MEAN_RATING`."""
    number = np.array(groups)
    theta = one.terms[: len(number)]
    means = np.bincount(number, weights * theta) / np.bincount(number, weights)
    return np.asarray(MEAN_RATING + POINTS_PER_THETA * (theta - means[number]))


def _rows(estimates: Estimates, meetings: HeadToHead, groups: Sequence[int], games: Counter[str]) -> Iterator[Rating]:
    """Yield the rows of the entrants that have played, in order."""
    names, sides = meetings.names, _has_won_and_lost(meetings)
    sizes = Counter(groups)

    def rank(index: int) -> tuple[int, int, float, str]:
        return -sizes[groups[index]], groups[index], -float(estimates.values[index]), names[index]

    order = sorted((index for index, name in enumerate(names) if games[name]), key=rank)
    for index, following in zip(order, [*order[1:], order[-1]], strict=True):
        is_last = following == index or groups[following] != groups[index]
        is_separable = is_last or estimates.are_separable(index, following)
        interval, (was_ahead, was_behind) = estimates.interval(index), sides[index]
        supported = Interval(interval.low if was_ahead else None, interval.high if was_behind else None)
        yield Rating(names[index], float(estimates.values[index]), supported, groups[index], is_separable)
