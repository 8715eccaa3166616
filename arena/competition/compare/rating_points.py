"""Converts a difference in places a game into odds and rating points against the field of the comparison.

At a table with s seats, a candidate that is better by d places a game finishes ahead of d / (s - 1) more of its
opponents. The baseline's share b of beaten opponents is measured, so the candidate's share is c = b + d / (s - 1). The
odds of finishing ahead of an opponent are then

    odds ratio = (c / (1 - c)) / (b / (1 - b)),   rating points = 400 * log10(odds ratio),

which is the scale of a league's ratings (`arena/competition/league/rating.py`). The points hold for this field:
opponents of very different strength, or much luck in the hands, bring shares nearer to one half and make the difference
look smaller.
"""

from math import exp, log
from typing import Final

from arena.competition.compare.estimate import Estimate
from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion
from arena.competition.league.elo_scale import POINTS_PER_THETA

EVEN_SHARE: Final = 0.5
"""The share of opponents that a program beats if it is as good as its opponents."""
_LEAST_SHARE: Final = 0.005
"""Shares count as at least this and at most 1 minus this. Beyond that, a few games would change the odds by much."""


def rating_points(places: float, seats: int, baseline_share: float = EVEN_SHARE) -> float:
    """Convert a difference in places a game into rating points.

    `baseline_share` is the share of opponents that the baseline beats, 0 to 1.

    >>> round(rating_points(0.2, 4)), round(rating_points(0.2, 4, 0.9))
    (47, 203)
    """
    candidate = _limit(baseline_share) + places / (seats - 1)
    return POINTS_PER_THETA * (_log_odds(candidate) - _log_odds(baseline_share))


def estimate_points(estimate: Estimate, seats: int, baseline_share: float) -> Estimate:
    value, low, high = (
        rating_points(places, seats, baseline_share) for places in (estimate.value, estimate.low, estimate.high)
    )
    return Estimate(value, low, high)


def odds_of(points: Estimate) -> Estimate:
    """Return by which factor the candidate's odds of finishing ahead of an opponent exceed the baseline's.

    >>> odds_of(Estimate(0, -400, 400)).value
    1.0
    """
    value, low, high = (exp(each / POINTS_PER_THETA) for each in (points.value, points.low, points.high))
    return Estimate(value, low, high)


def margin_points(question: ComparisonQuestion, baseline_share: float = EVEN_SHARE) -> float:
    """Return the rating points that the margin is worth, above 0."""
    places = question.low if question.mode is ComparisonMode.NOT_WORSE else question.margin
    return abs(rating_points(places, question.seats, baseline_share))


def _log_odds(share: float) -> float:
    share = _limit(share)
    return log(share / (1 - share))


def _limit(share: float) -> float:
    return max(_LEAST_SHARE, min(1 - _LEAST_SHARE, share))
