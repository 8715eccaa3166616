"""A gauntlet: one entrant against all others, in turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.formats.port import ScheduleSize
from arena.league.formats.rotation import Rotation, rotation_schedule
from arena.league.formats.validation import (
    late_entries,
    options_below_one,
    why_entry_round_invalid,
    why_field_unseatable,
)
from arena.league.model import Block, BlockResult


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """One sits at every table, the others take turns; so each block has one table. Fixed from the start.

    Everybody meets the one, an owner's own bots too; among the others those of one owner are kept apart.
    """

    challenger: str
    """Who sits at every table."""
    games: int
    """In all."""

    name: ClassVar[str] = "gauntlet"

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Tell whether this round is drawn from results: none is."""
        return False

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Give every reason why this cannot be played with this field."""
        faults = [*why_field_unseatable(self.name, field), *options_below_one(games=self.games)]
        if self.challenger not in field.names_entered(1):
            expected = "expected an entrant that is there from the first round"
            faults.append(OptionError("challenger", self.challenger, expected))
        return faults

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Take everybody, as one of those with the fewest games."""
        return why_entry_round_invalid(entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round: each of the others once, but for those who do not fill a table."""
        return rotation_schedule(self._rotation(field)).round_blocks(number)

    def size(self, field: Field) -> ScheduleSize:
        """Count games and rounds."""
        full = self._rotation(field).table_count(len(field.names_entered(1)) - 1, self.games)
        return ScheduleSize(self.games, -(-self.games // full), not any(late_entries(field)))

    def _rotation(self, field: Field) -> Rotation:
        return Rotation(field, self.games, 1, (self.challenger,))
