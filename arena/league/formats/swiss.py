"""Swiss rounds: those with like scores meet, and nobody meets the same one twice where it can be helped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.formats.blocks import cut_into_tables, name_tables, number_blocks, repeat_games
from arena.league.formats.grouping import Grouping, GroupingCosts, IntArray, block_count, find_cheapest
from arena.league.formats.port import DEFAULT_MAX_TABLES, ScheduleSize
from arena.league.formats.round_history import RoundHistory
from arena.league.formats.separation import build_costs
from arena.league.formats.validation import (
    has_constant_entrants,
    options_below_one,
    why_entry_round_invalid,
    why_field_unseatable,
)
from arena.league.lots import order_by_lots
from arena.league.model import Block, BlockResult

_START_COUNT = 8
"""How many orders a round's search begins with: that of the scores, and others by lots."""


@dataclass(frozen=True, slots=True)
class Swiss:
    """A given number of rounds, each drawn from the scores before it. It is over early when no table can be filled.

    A round's score is the mean of its points of place. Who does not fill a table has a bye: first whoever had fewest,
    then whoever has the lowest score. A round missed before somebody came counts as a bye.
    """

    rounds: int
    games: int | None = None
    """Of a table in a round; None: as many as seats, so that each sits in each once."""
    tables: int = DEFAULT_MAX_TABLES
    """Most of a block; 1: no deal is played twice. Three tables are one block rather than leave one alone."""
    bye: float = 0.5
    """Points of place that a bye counts as, 0 to 1. They decide who meets whom, and nothing else."""

    name: ClassVar[str] = "swiss"

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Tell whether this round is drawn from results: all are."""
        return True

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Give every reason why this cannot be played with this field."""
        faults = why_field_unseatable(self.name, field)
        faults += options_below_one(rounds=self.rounds, games=self.games, tables=self.tables)
        faults += [fault for entry in field.entries if (fault := self.why_cannot_join(field, entry))]
        if not 0 <= self.bye <= 1:
            faults.append(OptionError("bye", self.bye, "expected points of place, 0 to 1"))
        return faults

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Take everybody in one of the rounds; those missed count as byes."""
        if entry.since > max(self.rounds, 1):
            return OptionError("since", entry.since, f"expected one of the {self.rounds} rounds for {entry.name!r}")
        return why_entry_round_invalid(entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round from the scores of those before it."""
        record = RoundHistory(history, number)
        playing = self._entrants_without_bye(number, field, record) if number <= self.rounds else []
        if not playing:
            return ()
        found = find_cheapest(
            self._start_groupings(playing, number, field), self._costs(playing, field, record, number)
        )
        games = repeat_games(name_tables(found, playing), self.games or field.seats, field.seed, f"round {number}")
        return number_blocks(games, record.next_block_number, number)

    def scores(self, field: Field, history: Sequence[BlockResult], number: int) -> dict[str, float]:
        """Everybody's score before this round: over rounds, the sum of mean points of place, byes as they count."""
        return self._scores(field, RoundHistory(history, number), number)

    def size(self, field: Field) -> ScheduleSize:
        """Count games and rounds."""
        tables = len(field.names_entered(1)) // field.seats
        return ScheduleSize(
            self.rounds * tables * (self.games or field.seats), self.rounds, has_constant_entrants(field)
        )

    def _scores(self, field: Field, record: RoundHistory, number: int) -> dict[str, float]:
        means = [record.mean_points(each) for each in range(1, number)]
        return {name: round(sum(each.get(name, self.bye) for each in means), 9) for name in field.names()}

    def _entrants_without_bye(self, number: int, field: Field, record: RoundHistory) -> list[str]:
        """Those who have no bye, by their scores, the best first; equal ones by lots."""
        names = order_by_lots(field.seed, f"round {number}", field.names_present(number))
        scores, byes = self._scores(field, record, number), _byes(field, record, number)
        bye_count = len(names) % field.seats
        resting = sorted(names, key=lambda name: (byes[name], scores[name]))[:bye_count]
        return sorted((name for name in names if name not in resting), key=lambda name: -scores[name])

    def _start_groupings(self, playing: Sequence[str], number: int, field: Field) -> list[Grouping]:
        """Orders to begin the search with, cut into tables."""
        index = {name: position for position, name in enumerate(playing)}
        others = (
            order_by_lots(field.seed, f"round {number}, start {start}", playing) for start in range(1, _START_COUNT)
        )
        orders = [list(range(len(playing))), *([index[name] for name in other] for other in others)]
        blocks = block_count(len(playing) // field.seats, self.tables)
        return [cut_into_tables(order, field.seats, blocks) for order in orders]

    def _costs(self, playing: Sequence[str], field: Field, record: RoundHistory, number: int) -> GroupingCosts:
        """Weigh meeting again above any difference of scores; those by the square of the scores between them."""
        owners, scores = field.owners(), self._scores(field, record, number)
        distances = _distances([scores[name] for name in playing])
        again = record.meeting_counts(playing) * (1 + int(distances.sum()))
        return build_costs([owners[name] for name in playing], distances + again)


def _byes(field: Field, record: RoundHistory, number: int) -> Mapping[str, int]:
    """In how many rounds of those in which it took part each sat out."""
    played = [record.mean_points(each) for each in range(1, number)]
    return {entry.name: sum(entry.name not in each for each in played[entry.since - 1 :]) for entry in field.entries}


def _distances(scores: Sequence[float]) -> IntArray:
    """[a, b]: the square of how many different scores lie between two people, and one more."""
    ranks = {score: rank for rank, score in enumerate(sorted(set(scores)))}
    own = np.array([ranks[score] for score in scores], np.int64)
    distances: IntArray = (own[:, None] - own) ** 2
    return distances
