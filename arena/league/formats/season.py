"""A season: as many games as asked; all play, meet each other and sit in each seat about equally often."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.formats.port import DEFAULT_MAX_TABLES, ScheduleSize
from arena.league.formats.rotation import Rotation, rotation_schedule
from arena.league.formats.validation import (
    late_entries,
    options_below_one,
    why_entry_round_invalid,
    why_field_unseatable,
)
from arena.league.model import Block, BlockResult


@dataclass(frozen=True, slots=True)
class Season:
    """The default. Fixed from the start: whoever is withdrawn keeps its seats, and forfeits them.

    How balanced it is, over random fields of up to 45 and seasons of 50 to 400 games: games of two entrants differ by
    at most one; how often one sat in two of the seats by at most three; how often a pair met has a standard deviation
    below one, and differs by at most three at tables of two to five, by at most six at tables of ten. To keep owners
    apart, at tables before in blocks, comes before how often pairs meet.

    Somebody late takes part from its round on, as one of those with the fewest games; it is not given those it missed.
    """

    games: int
    """In all; where the last table would be alone in its block, one is played less."""
    tables: int = DEFAULT_MAX_TABLES
    """Most of a block; 1: no deal is played twice. Three tables are one block rather than leave one alone."""

    name: ClassVar[str] = "season"

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Tell whether this round is drawn from results: none is."""
        return False

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Give every reason why this cannot be played with this field."""
        faults = [*why_field_unseatable(self.name, field), *options_below_one(games=self.games, tables=self.tables)]
        if not faults and not self.size(field).games:
            faults.append(OptionError("games", self.games, "expected at least 2, one for each table of a block"))
        return faults

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Take everybody."""
        return why_entry_round_invalid(entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round: everybody once, but for those who do not fill a table."""
        return rotation_schedule(self._rotation(field)).round_blocks(number)

    def size(self, field: Field) -> ScheduleSize:
        """Count games and rounds."""
        people = len(field.names_entered(1))
        full = people // field.seats
        rounds, rest = divmod(self.games, full)
        last = self._rotation(field).table_count(people, rest)
        return ScheduleSize(rounds * full + last, rounds + (last > 0), not any(late_entries(field)))

    def _rotation(self, field: Field) -> Rotation:
        return Rotation(field, self.games, self.tables)
