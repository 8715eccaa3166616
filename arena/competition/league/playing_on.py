"""The sequential rule of a play-off: after each round, contenders that are clearly behind drop out, until one is left.

A play-off goes on where the league stopped: the games of both count, and a contender's *total* is its score, or its
rating, over all of them (`adjustment.py` allows for its opponents). So the champion is the entrant that does best
against the whole field, not the one that beats the other contenders.

The play-off still differs from the league, because contenders meet each other more often, and bots may have changed
since. How much shows in the distances between the totals and the figures of the league. If the league's figure has the
variance v, and the play-off has the share p of an entrant's games, then the distance, divided by p, has the variance
v / p plus that between league and play-off (J. A. Hausman, Econometrica 46, 1978). The latter, t², is found by the
method of moments with the weights p (R. DerSimonian and R. Kacker, Contemporary Clinical Trials 28, 2007). For the
certainty, the total's variance counts p² * t² more.

After each finished round the contender with the highest total is compared with each other one. After n games of the
leader, an entrant drops out if the leader's lead is at least

    z * sqrt(most / n) standard errors,   z: normal quantile of ERROR / (2 * (contenders at the start - 1)),

where `most` is the number of games that the leader has if the play-off takes all its rounds. In terms of the sum of the
scores this is one boundary for all looks. A sum that reaches a boundary at any time is above it at the end with a
probability of one half (the reflection principle), so one look at the end would err half as often as all looks
together. Hence the 2. It makes no difference how many looks there are. The errors of all rivals add up to ERROR: the
best of the contenders drops out by mistake in at most 5 % of play-offs. (P. C. O'Brien and T. R. Fleming, Biometrics
35, 1979, have boundaries of this form.) The comparisons of `arena.competition.compare` have a test that needs a
smallest difference that matters. A league knows no such difference, and has a limit of games.

Only finished rounds decide. So the result follows from the seal and the results, and not from the time of a look.

Leagues of the old judgement keep their totals: a block of the play-off counts with the points less the mean points of
the contenders in this block, plus the contenders' mean score in the league.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist, fmean
from typing import Final

import numpy as np

from arena.competition.league.accomplices import leave_out_help
from arena.competition.league.adjustment import adjust_scores
from arena.competition.league.certainty import probability_best
from arena.competition.league.estimates import Floats
from arena.competition.league.model import BlockResult
from arena.competition.league.points import block_scores
from arena.competition.league.ranking_measure import RankingMeasure, measure_from_ratings, measure_from_scores
from arena.competition.league.rating import compute_ratings
from arena.competition.league.standings_inputs import PlayOffTerms, StandingsInputs

_NOTHING: Final = 1e-12
"""A smaller variance is 0 but for rounding."""
ERROR: Final = 0.05
"""How often the best contender may drop out by mistake."""
RATING_DRAWS: Final = 300
"""Number of draws for the ratings after a round."""


@dataclass(frozen=True, slots=True)
class PlayOffStandings:
    """What the finished rounds of a play-off say."""

    order: tuple[str, ...]
    """All contenders, best first. Those that dropped out are at the end, the first to drop out last."""
    remaining: tuple[str, ...]
    """The contenders that are still in, best first. One is left if it leads clearly."""
    certainty: float | None
    """The probability that the first is the best of those that were in the last round, from the bootstrap's draws."""


def rank_contenders(terms: PlayOffTerms, evidence: StandingsInputs) -> PlayOffStandings:
    """Return the standings after the finished rounds of a play-off, of which there is at least one."""
    contenders, most_rounds = terms.contenders, terms.rounds or 1
    quantile = NormalDist().inv_cdf(1 - ERROR / (2 * max(1, len(contenders) - 1)))
    remaining, dropped = list(contenders), list[str]()
    certainty: float | None = None
    players: dict[int, Sequence[str]] = {}
    for index, number in enumerate(dict.fromkeys(result.block.round for result in evidence.play_off), 1):
        players[number] = tuple(remaining)
        measure = _total_measure(evidence, players, is_against_all=terms.is_against_all)
        remaining.sort(key=measure.rank_key)
        leader = remaining[0]
        spread = _spread_by_difference(measure, evidence, players) if terms.is_against_all else measure
        certainty = probability_best(leader, remaining, spread, list(measure.index))
        before = sum(leader in each.block.names for each in evidence.results)
        more = sum(leader in each.block.names for each in evidence.play_off if each.block.round in players)
        reach = quantile * sqrt((before + more * most_rounds / index) / (before + more))
        behind = [name for name in remaining if measure.is_ahead(leader, name, reach)]
        remaining, dropped = [name for name in remaining if name not in behind], [*behind, *dropped]
        if len(remaining) == 1:
            break
    return PlayOffStandings((*remaining, *dropped), tuple(remaining), certainty)


def _total_measure(
    evidence: StandingsInputs, players: Mapping[int, Sequence[str]], *, is_against_all: bool
) -> RankingMeasure:
    """Return the totals after these rounds. `players` has the contenders of each round."""
    played = [result for result in evidence.play_off if result.block.round in players]
    every, seed = [*evidence.results, *played], evidence.seed + b"|play-off"
    if evidence.is_by_rating:
        rated = compute_ratings(
            every,
            seed=evidence.seed,
            draw_count=RATING_DRAWS,
            judgement=evidence.judgement,
            accomplices=evidence.accomplices,
        )
        return measure_from_ratings(rated)
    if is_against_all and evidence.draw:
        scores = leave_out_help(adjust_scores(every, evidence.draw).scores, every, evidence.accomplices)
        return measure_from_scores(scores, seed, evidence.draw_count)
    return measure_from_scores(_scores_beside_contenders(evidence.scores, played, players), seed, evidence.draw_count)


def _spread_by_difference(total: RankingMeasure, evidence: StandingsInputs, players: Collection[int]) -> RankingMeasure:
    """Return the totals after these rounds with draws that also spread by the variance between league and play-off."""
    played = [result for result in evidence.play_off if result.block.round in players]
    before, more = (
        Counter(name for result in part for name in result.block.names) for part in (evidence.results, played)
    )
    both = [name for name in total.index if before[name] and more[name] and name in evidence.measure.index]
    own, others = ([measure.index[name] for name in both] for measure in (total, evidence.measure))
    share = np.array([more[name] / (before[name] + more[name]) for name in both])
    estimates, league = total.estimates, evidence.measure.estimates
    distance = (estimates.values[own] - league.values[others]) / share
    between = variance_between(distance, league.draws[:, others].var(axis=0) / share, share)
    factor = np.ones(len(total.index))
    factor[own] = np.sqrt(1 + between * share**2 / np.maximum(estimates.draws[:, own].var(axis=0), _NOTHING))
    draws = estimates.values + factor * (estimates.draws - estimates.values)
    return replace(total, estimates=replace(estimates, draws=draws), known_intervals={})


def variance_between(distances: Floats, variances: Floats, weights: Floats) -> float:
    """Return how much more measured distances vary than their variances explain, by the method of moments.

    >>> variance_between(np.array([-3.0, 3.0]), np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    17.0
    """
    whole = weights.sum()
    if len(distances) < 2:
        return 0.0
    found = weights @ (distances - weights @ distances / whole) ** 2
    explained = weights @ variances - weights**2 @ variances / whole
    return max(0.0, float((found - explained) / (whole - weights @ weights / whole)))


def _scores_beside_contenders(
    scores: Sequence[Mapping[str, float]], played: Sequence[BlockResult], players: Mapping[int, Sequence[str]]
) -> Sequence[Mapping[str, float]]:
    """Return the scores of all blocks under the old judgement."""
    everybody = {name for names in players.values() for name in names}
    means = {name: fmean(block[name] for block in scores if name in block) for name in everybody}
    names = [*players.values()][-1]
    totals = [dict(block) for block in scores]
    for result in played:
        points = {name: score.points for name, score in block_scores(result).items()}
        contenders = players[result.block.round]
        seated = [points[name] for name in contenders if name in points]
        shift = fmean(means[name] for name in contenders) - (fmean(seated) if seated else 0.0)
        totals.append({name: points[name] + shift for name in names if name in points})
    return totals
