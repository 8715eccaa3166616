"""Mean scores and places so far, kept up to date: to go through a long league anew each second would hold it up."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.hosting.league import OpenLeague
from arena.hosting.standing import regular_of
from arena.league.model import BlockResult
from arena.league.points import block_scores, can_compare
from arena.league.tally import Tally


@dataclass(frozen=True, slots=True)
class Mean:
    """How somebody fares who has played."""

    name: str
    games: int
    score: float
    place: float


class Means:
    """Of one league. What has been counted is counted anew only where some of it has become void."""

    def __init__(self, league: OpenLeague) -> None:
        self._league = league
        self._compares = True
        """A table never mixes compared and plain scores."""
        self._tallies: dict[str, Tally] = {}
        self._counted: set[tuple[int, int]] = set()
        """Blocks by number and attempt."""

    def best_first(self) -> Sequence[Mean]:
        """Everybody who has played."""
        self._go_on()
        means = [
            Mean(name, tally.games, sum(tally.scores.values()) / tally.games, tally.place_sum / tally.games)
            for name, tally in self._tallies.items()
        ]
        return sorted(means, key=lambda mean: -mean.score)

    def _go_on(self) -> None:
        """Count what is new."""
        history = regular_of(self._league)
        new = [result for result in history if _key(result) not in self._counted]
        compares = self._compares and can_compare(new)
        if compares != self._compares or len(self._counted) + len(new) != len(history):
            self._compares, new = can_compare(history), history
            self._tallies.clear()
            self._counted.clear()
        for result in new:
            self._count(result)

    def _count(self, result: BlockResult) -> None:
        self._counted.add(_key(result))
        scores = block_scores(result, compares=self._compares)
        for table in result.tables:
            for seat, name in enumerate(table.seats):
                self._tallies.setdefault(name, Tally()).add(result.block.number, scores[name], table, seat)


def _key(result: BlockResult) -> tuple[int, int]:
    return result.block.number, result.attempt
