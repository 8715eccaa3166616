"""Computes points for a place at a table, and scores in a block relative to those who held the same hand and seat."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.league.model import BlockResult


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one entrant in a block."""

    points: float
    """Place points, 0 to 1."""
    value: float
    """The value that counts in the standings: -1 to 1 if scores are compared, otherwise the points."""
    is_marked: bool = False
    """Whether another entrant's forfeit affected the score: at the same table, or in a score compared with this one."""


def place_points(places: Sequence[int]) -> tuple[float, ...]:
    """Return, for each seat, the share of opponents beaten. An opponent at the same place counts half.

    >>> place_points((1, 2, 3, 4))
    (1.0, 0.6666666666666666, 0.3333333333333333, 0.0)
    >>> place_points((1, 2, 2))
    (1.0, 0.25, 0.25)
    """
    opponents = len(places) - 1
    return tuple((sum((mine < other) + (mine == other) / 2 for other in places) - 0.5) / opponents for mine in places)


def can_compare(results: Iterable[BlockResult]) -> bool:
    """Return whether every block has a second table. If one has none, all scores are plain points."""
    return all(len(result.tables) > 1 for result in results)


def block_scores(result: BlockResult, *, compares: bool) -> Mapping[str, Score]:
    """Return the score of each entrant in a block, by name.

    If `compares`, the value is an entrant's points minus the mean points of the others with the same hand and seat. A
    forfeit counts like any other last place, also for the entrants whose points are compared with it. The scores of
    these entrants are marked.
    """
    points = [place_points(table.places) for table in result.tables]
    forfeits = [[name in table.forfeits for name in table.seats] for table in result.tables]
    scores = {}
    for index, table in enumerate(result.tables):
        for seat, name in enumerate(table.seats):
            mine = points[index][seat]
            others = [other for other in range(len(result.tables)) if compares and other != index]
            mean = sum(points[other][seat] for other in others) / len(others) if others else 0.0
            at_table = forfeits[index][:seat] + forfeits[index][seat + 1 :]
            is_marked = any(at_table) or any(forfeits[other][seat] for other in others)
            scores[name] = Score(mine, mine - mean, is_marked)
    return scores
