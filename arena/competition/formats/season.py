"""A season: a given number of games in which all entrants play, meet and sit in each seat about equally often."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.competition.formats.port import DEFAULT_MAX_TABLES, ScheduleSize
from arena.competition.formats.rotation import Rotation, rotation_schedule
from arena.competition.formats.validation import (
    late_entries,
    options_below_one,
    why_entry_round_invalid,
    why_field_unseatable,
)
from arena.competition.league.field import Entry, Field
from arena.competition.league.model import Block, BlockResult
from arena.errors import OptionError


@dataclass(frozen=True, slots=True)
class Season:
    """The default format. It is fixed from the start: a withdrawn entrant keeps its seats and forfeits its games.

    Balance was measured over random fields of up to 45 entrants and seasons of 50 to 400 games. The numbers of games of
    two entrants differ by at most one. An entrant's numbers of games in two seats differ by at most three. The numbers
    of meetings of all pairs have a standard deviation below one. At tables of two to five, two pairs differ in meetings
    by at most three, and at tables of ten by at most six. Entrants of one owner are kept apart (`round_shape`), even if
    balance suffers.

    A late entrant starts with the game count of the entrant that has played least. A late entrant therefore does not
    catch up on the games that it missed.
    """

    games: int
    """Number of games. One game fewer is played if the last table would be alone in its block, unless all are."""
    tables: int = DEFAULT_MAX_TABLES
    """The largest number of tables in a block. With 1, no deal is played twice. With 2, three tables may form a block,
    so that none is alone."""

    name: ClassVar[str] = "season"

    def depends_on_results(self, number: int, field: Field) -> bool:
        return False

    def why_not_playable(self, field: Field) -> list[OptionError]:
        faults = [*why_field_unseatable(self.name, field), *options_below_one(games=self.games, tables=self.tables)]
        if not faults and not self.size(field).games:
            faults.append(OptionError("games", self.games, "expected at least 2, one for each table of a block"))
        return faults

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        return why_entry_round_invalid(entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Return a round's blocks. Each entrant plays at most once. Entrants left over sit out."""
        return rotation_schedule(self._rotation(field)).round_blocks(number)

    def size(self, field: Field) -> ScheduleSize:
        names, rotation = field.names_entered(1), self._rotation(field)
        full = rotation.shape_of_round(names, self.games).tables
        rounds, left = divmod(self.games, full) if full else (0, self.games)
        while last := rotation.shape_of_round(names, left).tables:
            rounds, left = rounds + 1, left - last
        return ScheduleSize(self.games - left, rounds, not any(late_entries(field)))

    def _rotation(self, field: Field) -> Rotation:
        return Rotation(field, self.games, self.tables)
