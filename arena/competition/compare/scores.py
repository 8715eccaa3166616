"""The score of a block: how many places a game the candidate finishes above the baseline.

A league's scores are adjusted for opponents, seat and deal (`arena/competition/league/adjustment.py`). Here there is
nothing to adjust: both programs play each block's deal in the same seats against the same opponents, so all these
features are equal for both, and their difference is 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from arena.competition.compare.lanes import Lanes
from arena.competition.league.model import BlockResult
from arena.competition.league.points import place_points

MAX_LISTED_GAMES = 5
"""How many of the most costly games are listed."""


def score_block(result: BlockResult, lanes: Lanes) -> float:
    """Return a block's score, from -(seats - 1) to seats - 1. The block's tables must be in the order of the lanes.

    Entrants that tie count with the mean of the places they share. A forfeited game counts like any other.
    """
    return score_places([table.places for table in result.tables], lanes)


def score_places(places: Iterable[Sequence[int]], lanes: Lanes) -> float:
    """Return the score of a block from the places by seat of each table, in the order of the lanes."""
    points = [place_points(table)[lane // 2] for lane, table in enumerate(places)]
    return (lanes.seats - 1) * fmean(one - other for one, other in zip(points[::2], points[1::2], strict=True))


def beaten_share(history: Sequence[BlockResult], lanes: Lanes) -> float:
    """Return the share of its opponents that the baseline beats in these blocks, 0 to 1. A tie counts half."""
    lanes_of_baseline = range(1, 2 * lanes.seats, 2)
    return fmean(place_points(block.tables[lane].places)[lane // 2] for block in history for lane in lanes_of_baseline)


def leading_blocks(history: Iterable[BlockResult]) -> Sequence[BlockResult]:
    """Return all blocks before the first missing one, in order.

    Short games finish first, and their results tend to differ from those of long games. So a block counts only when all
    earlier blocks have results.
    """
    leading: list[BlockResult] = []
    for result in sorted(history, key=lambda each: each.block.number):
        if result.block.number != len(leading) + 1:
            break
        leading.append(result)
    return leading


@dataclass(frozen=True, slots=True)
class CostlyGame:
    """A game in which the candidate did worse than the baseline did with the same hand in the same seat."""

    match_id: str
    seat: int
    places: float
    """By how many places the candidate did worse, always above 0."""
    same_hand: str
    """The id of the baseline's match with that hand."""


def find_costly_games(history: Iterable[BlockResult], lanes: Lanes) -> list[CostlyGame]:
    """Return the candidate's most costly games, the worst first; among equals the latest first."""
    losses = []
    for result in history:
        for seat in range(lanes.seats):
            candidate, baseline = result.tables[2 * seat : 2 * seat + 2]
            lost = (lanes.seats - 1) * (place_points(baseline.places)[seat] - place_points(candidate.places)[seat])
            if lost > 0:
                losses.append(CostlyGame(candidate.match_id, seat, lost, baseline.match_id))
    return sorted(losses, key=lambda loss: (loss.places, loss.match_id), reverse=True)[:MAX_LISTED_GAMES]
