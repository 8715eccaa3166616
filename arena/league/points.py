"""Computes points for a place at a table, the share of opponents that finished behind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.league.model import BlockResult


@dataclass(frozen=True, slots=True)
class Score:
    """The points of one entrant in a block."""

    points: float
    """Place points, 0 to 1."""
    is_marked: bool = False
    """Whether another entrant forfeited at the same table."""


def place_points(places: Sequence[int]) -> tuple[float, ...]:
    """Return, for each seat, the share of opponents beaten. An opponent at the same place counts half.

    >>> place_points((1, 2, 3, 4))
    (1.0, 0.6666666666666666, 0.3333333333333333, 0.0)
    >>> place_points((1, 2, 2))
    (1.0, 0.25, 0.25)
    """
    return tuple(points_at(places, index) for index in range(len(places)))


def points_at(places: Sequence[int], index: int) -> float:
    """Return the share of opponents beaten by the seat or entrant with this index.

    >>> points_at((1, 2, 2), 2)
    0.25
    """
    mine = places[index]
    beaten = sum(other > mine for other in places)
    return (beaten + (places.count(mine) - 1) / 2) / (len(places) - 1)


def came_last(places: Sequence[int], index: int) -> bool:
    """Return whether the seat or entrant with this index came last. In a draw of all seats nobody did.

    >>> came_last((1, 2, 2), 2), came_last((1, 1), 0)
    (True, False)
    """
    return min(places) < places[index] == max(places)


def block_scores(result: BlockResult) -> Mapping[str, Score]:
    """Return the points of each entrant in a block, by name. A forfeit counts like any other last place."""
    scores = {}
    for table in result.tables:
        for name, points in zip(table.seats, place_points(table.places), strict=True):
            scores[name] = Score(points, bool(table.forfeits - {name}))
    return scores
