"""A knockout over tables: the better half of each table advances, until one table is left for the final."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.competition.formats.blocks import Tables, name_tables, number_blocks, repeat_games
from arena.competition.formats.bracket import KnockoutStage, knockout_stages, next_size, table_count
from arena.competition.formats.grouping import improve
from arena.competition.formats.port import DEFAULT_MAX_TABLES, ScheduleSize
from arena.competition.formats.round_history import RoundHistory
from arena.competition.formats.separation import build_costs, start_apart
from arena.competition.formats.validation import (
    has_constant_entrants,
    late_entries,
    late_entry_error,
    options_below_one,
    why_field_unseatable,
)
from arena.competition.league.field import Entry, Field
from arena.competition.league.lots import order_by_lots
from arena.competition.league.model import Block, BlockResult
from arena.errors import OptionError

FINAL_LABEL = "final"


@dataclass(frozen=True, slots=True)
class Knockout:
    """Lots draw the tables of each round. Entrants that have met before or share an owner are kept apart.

    `bracket` decides who advances. Entrants that are left over when the tables are full advance without a game. These
    are the entrants that have advanced in this way least often. Lots decide among equals. Late entry is not possible.
    The best eliminated entrants replace withdrawn ones.
    """

    games: int | None = None
    """Games of each table in a round. None means one game per seat, so that each entrant sits in each seat once."""
    tables: int = DEFAULT_MAX_TABLES
    """The largest number of tables in a block. With 1, no deal is played twice. With 2, three tables may form a block,
    so that none is alone."""

    name: ClassVar[str] = "knockout"

    def depends_on_results(self, number: int, field: Field) -> bool:
        return True

    def why_not_playable(self, field: Field) -> list[OptionError]:
        faults = [*why_field_unseatable(self.name, field), *options_below_one(games=self.games, tables=self.tables)]
        return [*faults, *(late_entry_error(self.name, entry) for entry in late_entries(field))]

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        return late_entry_error(self.name, entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Return a round's blocks, drawn among the entrants that are still in."""
        record = RoundHistory(history, number)
        stage = next((each for each in knockout_stages(field, record) if each.number == number), None)
        if stage is None or len(stage.left) < field.seats:
            return ()
        label = FINAL_LABEL if len(stage.left) == field.seats else ""
        games = repeat_games(
            self._draw_tables(stage, field, record), self.games or field.seats, field.seed, f"round {number}"
        )
        return number_blocks(games, record.next_block_number, number, label)

    def final_order(self, field: Field, history: Sequence[BlockResult]) -> list[str]:
        """Return all entrants, best first.

        Entrants that are still in come first. The others follow in the order in which they were eliminated, latest
        first.
        """
        last = 1 + max((result.block.round for result in history), default=0)
        *_, stage = knockout_stages(field, RoundHistory(history, last))
        return [*stage.left, *stage.out]

    def size(self, field: Field) -> ScheduleSize:
        counts, people = [], len(field.names_present(1))
        while count := table_count(people, field.seats):
            counts.append(count)
            people = next_size(people, field.seats)
        return ScheduleSize(sum(counts) * (self.games or field.seats), len(counts), has_constant_entrants(field))

    def _draw_tables(self, stage: KnockoutStage, field: Field, record: RoundHistory) -> list[Tables]:
        """Return the tables of a round. Entrants that advance without a game are at no table."""
        count, owner_of = table_count(len(stage.left), field.seats), field.owners()
        names = order_by_lots(field.seed, f"round {stage.number}", stage.left)
        names.sort(key=lambda name: -stage.rests[name])
        playing = names[: count * field.seats]
        owners = [owner_of[name] for name in playing]
        start = start_apart(playing, field, self.tables)
        return name_tables(improve(start, build_costs(owners, record.meeting_counts(playing))), playing)
