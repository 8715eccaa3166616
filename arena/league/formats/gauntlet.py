"""A gauntlet: one entrant against all others, in turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.formats.port import Size
from arena.league.formats.refusals import below_one, late, why_not_first, why_not_seated
from arena.league.formats.rota import Rota, schedule
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

    def waits(self, number: int, field: Field) -> bool:
        """Tell whether this round is drawn from results: none is."""
        return False

    def why_not(self, field: Field) -> list[OptionError]:
        """Give every reason why this cannot be played with this field."""
        faults = [*why_not_seated(self.name, field), *below_one(games=self.games)]
        if self.challenger not in field.entered(1):
            expected = "expected an entrant that is there from the first round"
            faults.append(OptionError("challenger", self.challenger, expected))
        return faults

    def why_not_late(self, field: Field, entry: Entry) -> OptionError | None:
        """Take everybody, as one of those with the fewest games."""
        return why_not_first(entry)

    def round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round: each of the others once, but for those who do not fill a table."""
        return schedule(self._rota(field)).round(number)

    def size(self, field: Field) -> Size:
        """Count games and rounds."""
        full = self._rota(field).table_count(len(field.entered(1)) - 1, self.games)
        return Size(self.games, -(-self.games // full), not any(late(field)))

    def _rota(self, field: Field) -> Rota:
        return Rota(field, self.games, 1, (self.challenger,))
