"""Counts the figures that the standings show for each entrant: points, places, forfeits, strikes and marked games."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from arena.competition.league.model import BlockResult, TableResult
from arena.competition.league.points import Score
from arena.errors import UnknownNameError


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
