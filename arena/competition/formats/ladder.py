"""A ladder: in each round the entrants with the least certain strength play against others of similar strength."""

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import ClassVar

import numpy as np

from arena.competition.formats.blocks import cut_into_tables, name_tables, number_blocks, repeat_games
from arena.competition.formats.grouping import GroupingCosts, IntArray, find_cheapest
from arena.competition.formats.port import DEFAULT_MAX_TABLES, ScheduleSize
from arena.competition.formats.round_history import RoundHistory
from arena.competition.formats.round_shape import RoundShape, choose_players
from arena.competition.formats.separation import build_costs, start_apart
from arena.competition.formats.strength import Strength, StrengthTracker
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

_RECENT_ROUNDS = 2
"""Number of past rounds whose meetings the ladder tries not to repeat."""
_REPEAT_PENALTY = 0.5
"""Penalty for a recent meeting, as a gap between strengths."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """In each round about half of the field plays: the entrants with the least certain strength.

    Entrants of similar strength meet. A late entrant starts with the least certain strength. A withdrawn entrant is no
    longer seated.
    """

    rounds: int | None = None
    """Number of rounds. If None, the ladder continues until its time budget is used up or the organizer ends it."""
    games: int | None = None
    """Games of each table in a round. None means one game per seat, so that each entrant sits in each seat once."""
    tables: int = DEFAULT_MAX_TABLES
    """The largest number of tables in a block. With 1, no deal is played twice. With 2, three tables may form a block,
    so that none is alone."""
    budget_s: float | None = None
    """No round begins later than this many seconds after the first game. None if there is no limit."""
    _strengths: StrengthTracker = dataclass_field(
        default_factory=StrengthTracker, init=False, repr=False, compare=False
    )

    name: ClassVar[str] = "ladder"

    def depends_on_results(self, number: int, field: Field) -> bool:
        return True

    def why_not_playable(self, field: Field) -> list[OptionError]:
        counts = options_below_one(rounds=self.rounds, games=self.games, tables=self.tables)
        return [*why_field_unseatable(self.name, field), *counts]

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        return why_entry_round_invalid(entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Return a round's blocks, drawn from the strengths after the rounds before it."""
        names = order_by_lots(field.seed, f"round {number}", field.names_present(number))
        count = _table_count(len(names), field.seats)
        if not count or (self.rounds is not None and number > self.rounds):
            return ()
        record = RoundHistory(history, number)
        known = self._strengths.strengths_after(record.results)
        strengths = {name: known.get(name, Strength()) for name in names}
        playing = _choose_entrants(sorted(names, key=lambda name: -strengths[name].deviation), count, field)
        playing.sort(key=lambda name: -strengths[name].mean)
        apart = start_apart(playing, field, self.tables)
        starts = [cut_into_tables(range(len(playing)), field.seats, apart.block_count)]
        starts += [apart] * (field.keeps_owners_apart and field.has_shared_owners)
        recent = record.meeting_counts(playing, max(1, number - _RECENT_ROUNDS))
        grouping = find_cheapest(starts, _costs(playing, strengths, field, recent))
        games = repeat_games(name_tables(grouping, playing), self.games or field.seats, field.seed, f"round {number}")
        return number_blocks(games, record.next_block_number, number)

    def size(self, field: Field) -> ScheduleSize:
        """Return the number of games and rounds, if `rounds` is set."""
        if self.rounds is None:
            return ScheduleSize(None, None, budget_s=self.budget_s)
        tables = _table_count(len(field.names_entered(1)), field.seats)
        return ScheduleSize(
            self.rounds * tables * (self.games or field.seats), self.rounds, has_constant_entrants(field)
        )


def _table_count(people: int, seats: int) -> int:
    """Return half of the tables that can be filled, but at least two if possible."""
    full = people // seats
    return max(-(-full // 2), min(2, full))


def _choose_entrants(names: Sequence[str], tables: int, field: Field) -> list[str]:
    """Return the first of these names that fill the tables with no two of an owner at one, or else simply the first."""
    count = tables * field.seats
    if not field.keeps_owners_apart or not field.has_shared_owners:
        return list(names[:count])
    owner_of = field.owners()
    shape = RoundShape(tables, tables, is_strict=True)
    chosen = choose_players(range(len(names)), shape, field.seats, [owner_of[name] for name in names])
    return [names[index] for index in chosen] if len(chosen) == count else list(names[:count])


def _costs(playing: Sequence[str], strengths: dict[str, Strength], field: Field, recent: IntArray) -> GroupingCosts:
    """Return the costs of sharing a table: squared strength gaps, in millionths. Each recent meeting adds a penalty."""
    gaps = [[strengths[one].gap(strengths[other]) for other in playing] for one in playing]
    squares = np.rint((np.array(gaps) ** 2 + recent * _REPEAT_PENALTY**2) * 1e6).astype(np.int64)
    owners = field.owners()
    return build_costs([owners[name] for name in playing], squares)
