"""A gauntlet: one entrant plays against all others, and the others take turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.competition.formats.port import ScheduleSize
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
class Gauntlet:
    """The challenger sits at every table, so each block has one table. The schedule is fixed from the start.

    The challenger also meets bots of its own owner. Among the others, bots of one owner are kept apart.
    """

    challenger: str
    """Name of the entrant that sits at every table."""
    games: int
    """Total number of games."""

    name: ClassVar[str] = "gauntlet"

    def depends_on_results(self, number: int, field: Field) -> bool:
        return False

    def why_not_playable(self, field: Field) -> list[OptionError]:
        faults = [*why_field_unseatable(self.name, field), *options_below_one(games=self.games)]
        if self.challenger not in field.names_entered(1):
            expected = "expected an entrant that takes part from the first round"
            faults.append(OptionError("challenger", self.challenger, expected))
        return faults

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Return an error for an entry before round 1; None for any other entry.

        A late entrant starts with the game count of the entrant that has played least.
        """
        return why_entry_round_invalid(entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Return a round's blocks. Each entrant but the challenger plays at most once. Entrants left over sit out."""
        return rotation_schedule(self._rotation(field)).round_blocks(number)

    def size(self, field: Field) -> ScheduleSize:
        full = self._rotation(field).shape_of_round(field.names_entered(1), self.games).tables
        return ScheduleSize(self.games, -(-self.games // full), not any(late_entries(field)))

    def _rotation(self, field: Field) -> Rotation:
        return Rotation(field, self.games, 1, (self.challenger,))
