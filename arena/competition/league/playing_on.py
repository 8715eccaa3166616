"""The sequential rule of a play-off: after each round, contenders that are clearly behind drop out, until one is left.

A play-off goes on where the league stopped, so the games of both count. A contender's *total score* is the mean over
its blocks of the league and of the play-off. A block of the play-off counts with the points less the mean points of the
contenders in this block, plus the contenders' mean score in the league: who else sits at the table then matters little.
If ratings decide the league, they are computed anew from all games.

After each finished round the contender with the highest total score is compared with each other one. After n games of
the leader, an entrant drops out if the leader's lead is at least

    z * sqrt(most / n) standard errors,   z: normal quantile of ERROR / (2 * (contenders at the start - 1)),

where `most` is the number of games that the leader has if the play-off takes all its rounds. In terms of the sum of the
scores this is one boundary for all looks. A sum that reaches a boundary at any time is above it at the end with a
probability of one half (the reflection principle), so one look at the end would err half as often as all looks
together. Hence the 2. It makes no difference how many looks there are. The errors of all rivals add up to ERROR: the
best of the contenders drops out by mistake in at most 5 % of play-offs. (P. C. O'Brien and T. R. Fleming, Biometrics
35, 1979, have boundaries of this form.) The comparisons of `arena.competition.compare` have a test that needs a
smallest difference that matters. A league knows no such difference, and has a limit of games.

Only finished rounds decide. So the result follows from the seal and the results, and not from the time of a look.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean
from typing import Final

from arena.competition.league.certainty import probability_best
from arena.competition.league.model import BlockResult
from arena.competition.league.points import block_scores
from arena.competition.league.ranking_measure import RankingMeasure, measure_from_ratings, measure_from_scores
from arena.competition.league.rating import compute_ratings

ERROR: Final = 0.05
"""How often the best contender may drop out by mistake."""
RATING_DRAWS: Final = 300
"""Number of draws for the ratings after a round."""


@dataclass(frozen=True, slots=True)
class PlayOffTerms:
    """Among whom a play-off decides, and for how long."""

    contenders: Sequence[str]
    """The entrants among whom it decides, best first."""
    rounds: int | None = None
    """The largest number of rounds; None for an old play-off of one round, whose points alone decide."""


@dataclass(frozen=True, slots=True)
class PlayOffRecord:
    """The league and its play-off so far."""

    regular: Sequence[BlockResult]
    """Results of the league, in schedule order."""
    rounds: Sequence[BlockResult]
    """Results of the finished rounds of the play-off, in schedule order."""
    scores: Sequence[Mapping[str, float]] | None
    """The score of each entrant in each block of the league; None if ratings decide."""
    seed: bytes
    draw_count: int


@dataclass(frozen=True, slots=True)
class PlayOffStandings:
    """What the finished rounds of a play-off say."""

    order: tuple[str, ...]
    """All contenders, best first. Those that dropped out are at the end, the first to drop out last."""
    remaining: tuple[str, ...]
    """The contenders that are still in, best first. One is left if it leads clearly."""
    certainty: float | None
    """The probability that the first is the best of those that were in the last round, from the bootstrap's draws."""


def rank_contenders(contenders: Sequence[str], record: PlayOffRecord, most_rounds: int) -> PlayOffStandings:
    """Return the standings of a play-off of at most `most_rounds` rounds, at least one of which is finished."""
    quantile = NormalDist().inv_cdf(1 - ERROR / (2 * max(1, len(contenders) - 1)))
    remaining, dropped = list(contenders), list[str]()
    certainty: float | None = None
    players: dict[int, Sequence[str]] = {}
    for index, number in enumerate(dict.fromkeys(result.block.round for result in record.rounds), 1):
        players[number] = tuple(remaining)
        measure = _total_measure(record, players)
        remaining.sort(key=measure.rank_key)
        leader = remaining[0]
        certainty = probability_best(leader, remaining, measure, list(measure.index))
        before = sum(leader in each.block.names for each in record.regular)
        more = sum(leader in each.block.names for each in record.rounds if each.block.round in players)
        reach = quantile * sqrt((before + more * most_rounds / index) / (before + more))
        behind = [name for name in remaining if measure.is_ahead(leader, name, reach)]
        remaining, dropped = [name for name in remaining if name not in behind], [*behind, *dropped]
        if len(remaining) == 1:
            break
    return PlayOffStandings((*remaining, *dropped), tuple(remaining), certainty)


def _total_measure(record: PlayOffRecord, players: Mapping[int, Sequence[str]]) -> RankingMeasure:
    """Return the total scores after these rounds. `players` has the contenders of each round.

    Entrants that are no contenders have their scores of the league.
    """
    played = [result for result in record.rounds if result.block.round in players]
    if record.scores is None:
        every = [*record.regular, *played]
        return measure_from_ratings(compute_ratings(every, seed=record.seed, draw_count=RATING_DRAWS))
    everybody = {name for names in players.values() for name in names}
    means = {name: fmean(block[name] for block in record.scores if name in block) for name in everybody}
    names = [*players.values()][-1]
    totals = [dict(block) for block in record.scores]
    for result in played:
        points = {name: score.points for name, score in block_scores(result).items()}
        contenders = players[result.block.round]
        seated = [points[name] for name in contenders if name in points]
        shift = fmean(means[name] for name in contenders) - (fmean(seated) if seated else 0.0)
        totals.append({name: points[name] + shift for name in names if name in points})
    return measure_from_scores(totals, record.seed + b"|play-off", record.draw_count)
