"""Swiss rounds: entrants with similar scores meet, and the same entrants do not meet again if that can be avoided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arena.competition.formats.blocks import cut_into_tables, name_tables, number_blocks, repeat_games
from arena.competition.formats.grouping import Grouping, GroupingCosts, IntArray, find_cheapest
from arena.competition.formats.port import DEFAULT_MAX_TABLES, ScheduleSize
from arena.competition.formats.round_history import RoundHistory
from arena.competition.formats.separation import build_costs, start_apart
from arena.competition.formats.validation import (
    has_constant_entrants,
    options_below_one,
    why_entry_round_invalid,
    why_field_unseatable,
)
from arena.competition.league.field import Entry, Field
from arena.competition.league.lots import order_by_lots
from arena.competition.league.model import Block, BlockResult
from arena.errors import OptionError

_START_COUNT = 8
"""Number of orders from which the search for a round starts: one by score, the others by lots."""


@dataclass(frozen=True, slots=True)
class Swiss:
    """A given number of rounds, each drawn from the scores before it. The league ends early if no table can be filled.

    An entrant's score for a round is the mean of its place points in that round. The entrants that are left over when
    the tables are full have a bye. Byes go to the entrants with the fewest byes so far, and among these to the entrants
    with the lowest scores. A round that a late entrant missed scores like a bye.
    """

    rounds: int
    games: int | None = None
    """Games of each table in a round. None means one game per seat, so that each entrant sits in each seat once."""
    tables: int = DEFAULT_MAX_TABLES
    """The largest number of tables in a block. With 1, no deal is played twice. With 2, three tables may form a block,
    so that none is alone."""
    bye: float = 0.5
    """Place points for a bye, 0 to 1. They only affect who meets whom."""

    name: ClassVar[str] = "swiss"

    def depends_on_results(self, number: int, field: Field) -> bool:
        return True

    def why_not_playable(self, field: Field) -> list[OptionError]:
        faults = why_field_unseatable(self.name, field)
        faults += options_below_one(rounds=self.rounds, games=self.games, tables=self.tables)
        faults += [fault for entry in field.entries if (fault := self.why_cannot_join(field, entry))]
        if not 0 <= self.bye <= 1:
            faults.append(OptionError("bye", self.bye, "expected place points from 0 to 1"))
        return faults

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Return an error for an entry before the first or after the last round; None for any other entry.

        Rounds that an entrant missed score like byes.
        """
        if entry.since > max(self.rounds, 1):
            return OptionError("since", entry.since, f"expected a round from 1 to {self.rounds} for {entry.name!r}")
        return why_entry_round_invalid(entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Return a round's blocks, drawn from the scores before it."""
        record = RoundHistory(history, number)
        playing = self._entrants_without_bye(number, field, record) if number <= self.rounds else []
        if not playing:
            return ()
        starts, costs = self._start_groupings(playing, number, field), self._costs(playing, field, record, number)
        grouping = find_cheapest(starts, costs)
        games = repeat_games(name_tables(grouping, playing), self.games or field.seats, field.seed, f"round {number}")
        return number_blocks(games, record.next_block_number, number)

    def scores(self, field: Field, history: Sequence[BlockResult], number: int) -> dict[str, float]:
        """Return each name's score before this round: the sum of its scores for the earlier rounds, byes included."""
        return self._scores(field, RoundHistory(history, number), number)

    def size(self, field: Field) -> ScheduleSize:
        tables = len(field.names_entered(1)) // field.seats
        return ScheduleSize(
            self.rounds * tables * (self.games or field.seats), self.rounds, has_constant_entrants(field)
        )

    def _scores(self, field: Field, record: RoundHistory, number: int) -> dict[str, float]:
        means = [record.mean_points(each) for each in range(1, number)]
        return {name: round(sum(each.get(name, self.bye) for each in means), 9) for name in field.names()}

    def _entrants_without_bye(self, number: int, field: Field, record: RoundHistory) -> list[str]:
        """Return the entrants without a bye, best score first. Lots decide ties."""
        names = order_by_lots(field.seed, f"round {number}", field.names_present(number))
        scores, byes = self._scores(field, record, number), _byes(field, record, number)
        bye_count = len(names) % field.seats
        resting = sorted(names, key=lambda name: (byes[name], scores[name]))[:bye_count]
        return sorted((name for name in names if name not in resting), key=lambda name: -scores[name])

    def _start_groupings(self, playing: Sequence[str], number: int, field: Field) -> list[Grouping]:
        """Return the groupings from which the search starts: orders cut into tables, and owners apart if needed."""
        index = {name: position for position, name in enumerate(playing)}
        others = (
            order_by_lots(field.seed, f"round {number}, start {start}", playing) for start in range(1, _START_COUNT)
        )
        orders = [list(range(len(playing))), *([index[name] for name in other] for other in others)]
        apart = start_apart(playing, field, self.tables)
        starts = [cut_into_tables(order, field.seats, apart.block_count) for order in orders]
        return [*starts, apart] if field.keeps_owners_apart and field.has_shared_owners else starts

    def _costs(self, playing: Sequence[str], field: Field, record: RoundHistory, number: int) -> GroupingCosts:
        """Return the costs of sharing a table: the squared difference of the ranks by score.

        A repeated meeting costs more than all these squares together.
        """
        owners, scores = field.owners(), self._scores(field, record, number)
        ranks = {score: rank for rank, score in enumerate(sorted({scores[name] for name in playing}))}
        own = np.array([ranks[scores[name]] for name in playing], np.int64)
        distances: IntArray = (own[:, None] - own) ** 2
        again = record.meeting_counts(playing) * (1 + int(distances.sum()))
        return build_costs([owners[name] for name in playing], distances + again)


def _byes(field: Field, record: RoundHistory, number: int) -> Mapping[str, int]:
    """Return each name's number of byes: the rounds since its entry in which it did not play."""
    played = [record.mean_points(each) for each in range(1, number)]
    return {entry.name: sum(entry.name not in each for each in played[entry.since - 1 :]) for entry in field.entries}
