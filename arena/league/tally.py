"""Counters of an entrant's games besides its score: places, forfeits, strikes, marked games."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from arena.errors import UnknownNameError
from arena.league.model import BlockResult, TableResult
from arena.league.points import Score


@dataclass(slots=True)
class Tally:
    """The mutable counters of one entrant."""

    scores: dict[int, float] = field(default_factory=dict)
    """Value of the score, by block index."""
    first_places: int = 0
    """Including shared ones."""
    place_sum: float = 0
    """Shared places count as their mean: 2.5 for two who share the second."""
    forfeits: int = 0
    strikes: Counter[str] = field(default_factory=Counter)
    marked_games: int = 0

    @property
    def game_count(self) -> int:
        """Number of games played: one per block."""
        return len(self.scores)

    def add_game(self, block: int, score: Score, table: TableResult, seat: int) -> None:
        """Count a game."""
        self.scores[block] = score.value
        self.first_places += table.places[seat] == 1
        self.place_sum += 1 + (1 - score.points) * (len(table.seats) - 1)
        self.forfeits += table.seats[seat] in table.forfeits
        self.strikes.update(table.strikes[seat] if table.strikes else {})
        self.marked_games += score.is_marked


def build_tallies(names: Sequence[str], played: Iterable[tuple[BlockResult, Mapping[str, Score]]]) -> dict[str, Tally]:
    """Return the tallies by name over all blocks and their scores.

    Raises:
        UnknownNameError: somebody played who is not among the names.

    """
    counted = {name: Tally() for name in names}
    for block, (result, scores) in enumerate(played):
        for table in result.tables:
            for seat, name in enumerate(table.seats):
                if name not in counted:
                    raise UnknownNameError("entrant", name, names)
                counted[name].add_game(block, scores[name], table, seat)
    return counted
