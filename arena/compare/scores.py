"""The score of a block: how many places a game the candidate finishes above the baseline."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from arena.compare.lanes import Lanes
from arena.league.model import BlockResult
from arena.league.points import place_points

MAX_LISTED_GAMES = 5
"""How many of the most costly games are listed."""


def score_block(result: BlockResult, lanes: Lanes) -> float:
    """Return the score of a block whose tables are in the order of lanes, from -(seats - 1) to seats - 1.

    Equal places count as the mean of the places they share. A forfeited game counts like any other.
    """
    points = [place_points(table.places)[lane // 2] for lane, table in enumerate(result.tables)]
    return (lanes.seats - 1) * fmean(one - other for one, other in zip(points[::2], points[1::2], strict=True))


def leading_blocks(history: Iterable[BlockResult]) -> Sequence[BlockResult]:
    """Return the blocks from the first one up to the first missing one.

    Quick games finish first and differ from long ones, so no block counts before all earlier ones do.
    """
    found: list[BlockResult] = []
    for result in sorted(history, key=lambda each: each.block.number):
        if result.block.number != len(found) + 1:
            break
        found.append(result)
    return found


@dataclass(frozen=True, slots=True)
class CostlyGame:
    """A game in which the candidate did worse than the baseline did with the same hand in the same seat."""

    match_id: str
    seat: int
    places: float
    """By how many places it did worse, above 0."""
    same_hand: str
    """The id of the baseline's match with that hand."""


def find_costly_games(history: Iterable[BlockResult], lanes: Lanes) -> list[CostlyGame]:
    """Return the candidate's most costly games, the worst first; among equals the latest first."""
    losses = [loss for result in history for loss in _costly_games_in(result, lanes)]
    return sorted(losses, key=lambda loss: (loss.places, loss.match_id), reverse=True)[:MAX_LISTED_GAMES]


def _costly_games_in(result: BlockResult, lanes: Lanes) -> Iterable[CostlyGame]:
    for seat in range(lanes.seats):
        mine, its = result.tables[2 * seat : 2 * seat + 2]
        lost = (lanes.seats - 1) * (place_points(its.places)[seat] - place_points(mine.places)[seat])
        if lost > 0:
            yield CostlyGame(mine.match_id, seat, lost, its.match_id)
