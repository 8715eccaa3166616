"""Updates mean scores and places block by block. To count a long league anew every second would take too long."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.competition.league.model import BlockResult
from arena.competition.league.points import block_scores
from arena.competition.league.tally import Tally
from arena.organizer.play.open_league import OpenLeague
from arena.organizer.view.league_standings import regular_results


@dataclass(frozen=True, slots=True)
class EntrantMean:
    """The mean results of an entrant that has played."""

    name: str
    games: int
    score: float
    place: float


class RunningMeans:
    """The running means of one league.

    The scores are plain points. All blocks are counted again only if a counted block becomes void.
    """

    def __init__(self, league: OpenLeague) -> None:
        self._league = league
        self._tallies: dict[str, Tally] = {}
        self._counted: set[tuple[int, int]] = set()
        """Number and attempt of each block counted so far."""

    def best_first(self) -> Sequence[EntrantMean]:
        """Return the means of all entrants that have played, best score first."""
        self._count_new_blocks()
        means = [
            EntrantMean(
                name,
                tally.game_count,
                sum(tally.points.values()) / tally.game_count,
                tally.place_sum / tally.game_count,
            )
            for name, tally in self._tallies.items()
        ]
        return sorted(means, key=lambda mean: -mean.score)

    def _count_new_blocks(self) -> None:
        """Count the new blocks. Recount all blocks if some have become void."""
        history = regular_results(self._league)
        new = [result for result in history if _block_key(result) not in self._counted]
        if len(self._counted) + len(new) != len(history):
            new = history
            self._tallies.clear()
            self._counted.clear()
        for result in new:
            self._counted.add(_block_key(result))
            scores = block_scores(result)
            for table in result.tables:
                for seat, name in enumerate(table.seats):
                    self._tallies.setdefault(name, Tally()).add_game(result.block.number, scores[name], table, seat)


def _block_key(result: BlockResult) -> tuple[int, int]:
    return result.block.number, result.attempt
