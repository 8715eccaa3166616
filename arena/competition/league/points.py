"""Computes points for a place at a table, and scores in a block relative to those with the same hand and seat.

A tally counts the other figures that standings show too.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from arena.competition.league.model import BlockResult, TableResult
from arena.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one entrant in a block."""

    points: float
    """Place points, 0 to 1."""
    value: float
    """What leagues of release 0.1 count: -1 to 1 if scores are compared, otherwise the points."""
    is_marked: bool = False
    """Whether another entrant forfeited at the same table, or with the same hand and seat at a compared table."""


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


def can_compare(results: Iterable[BlockResult]) -> bool:
    """Return whether every block has a second table. If one has none, all scores are plain points."""
    return all(len(result.tables) > 1 for result in results)


def block_scores(result: BlockResult, *, compares: bool = False) -> Mapping[str, Score]:
    """Return the score of each entrant in a block, by name.

    If `compares`, the value is an entrant's points minus the mean points of the others with the same hand and seat. A
    forfeit counts like any other last place, even in comparisons. The scores that it affects are marked.
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


@dataclass(slots=True)
class Tally:
    """The mutable counters of one entrant."""

    points: dict[int, float] = field(default_factory=dict)
    """The entrant's points in each block, by block index."""
    first_places: int = 0
    """Number of first places, including shared ones."""
    place_sum: float = 0
    """Sum of places. Shared places count as their mean: 2.5 for two entrants who share the second place."""
    forfeits: int = 0
    strikes: Counter[str] = field(default_factory=Counter)
    marked_games: int = 0

    @property
    def game_count(self) -> int:
        """Number of games played, one in each block."""
        return len(self.points)

    def add_game(self, block: int, score: Score, table: TableResult, seat: int) -> None:
        """Add the game of a block to the counters."""
        self.points[block] = score.points
        self.first_places += table.places[seat] == 1
        self.place_sum += 1 + (1 - score.points) * (len(table.seats) - 1)
        self.forfeits += table.seats[seat] in table.forfeits
        self.strikes.update(table.strikes[seat] if table.strikes else {})
        self.marked_games += score.is_marked


def build_tallies(names: Sequence[str], played: Iterable[tuple[BlockResult, Mapping[str, Score]]]) -> dict[str, Tally]:
    """Return each name's tally over all blocks, which are given with their scores.

    Raises:
        UnknownNameError: an entrant that played is not among the names.
    """
    counted = {name: Tally() for name in names}
    for block, (result, scores) in enumerate(played):
        for table in result.tables:
            for seat, name in enumerate(table.seats):
                if name not in counted:
                    raise UnknownNameError("entrant", name, names)
                counted[name].add_game(block, scores[name], table, seat)
    return counted
