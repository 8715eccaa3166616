"""A round robin over tables, for small fields: every set of entrants plays, and each entrant plays in every seat."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import ClassVar

from arena.competition.formats.block_packing import EntrantSet, PackedBlock, pack_into_blocks
from arena.competition.formats.blocks import number_blocks, rotate_seats
from arena.competition.formats.port import DEFAULT_MAX_TABLES, ScheduleSize
from arena.competition.formats.validation import late_entries, late_entry_error, options_below_one, why_field_unseatable
from arena.competition.league.field import Entry, Field
from arena.competition.league.lots import order_by_lots
from arena.competition.league.model import Block, BlockResult
from arena.errors import OptionError

MAX_GAMES = 5000
"""The largest number of games in a round robin. Beyond this, a season gives as much information with fewer games."""


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """One or more passes. In a pass, each set of n entrants plays n games at a table of n seats.

    In these n games each entrant sits in each seat once. Every set plays, even a set with two entrants of one owner.
    Sets that share an owner are in different blocks. If this would leave a table alone, every block has one table.
    There is only one round, fixed from the start. Late entry is not possible. A withdrawn entrant keeps its seats and
    forfeits its games.
    """

    passes: int = 1
    """Number of passes. Each set plays twice as many games if one table would otherwise be alone in its block."""
    tables: int = DEFAULT_MAX_TABLES
    """The largest number of tables in a block. With 1, no deal is played twice. With 2, three tables may form a block,
    so that none is alone."""

    name: ClassVar[str] = "round-robin"

    def depends_on_results(self, number: int, field: Field) -> bool:
        return False

    def why_not_playable(self, field: Field) -> list[OptionError]:
        faults = [*why_field_unseatable(self.name, field), *options_below_one(passes=self.passes, tables=self.tables)]
        faults += [late_entry_error(self.name, entry) for entry in late_entries(field)]
        if not faults and (games := self.game_count(field)) > MAX_GAMES:
            expected = (
                f"expected at most {MAX_GAMES} games, these entrants make {games}; format season takes any number"
            )
            faults.append(OptionError("format", self.name, expected))
        return faults

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        return late_entry_error(self.name, entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Return the blocks of the only round; no blocks for any other round."""
        return _draw_blocks(self, field) if number == 1 else ()

    def size(self, field: Field) -> ScheduleSize:
        return ScheduleSize(self.game_count(field), 1)

    def game_count(self, field: Field) -> int:
        return comb(len(field.entries), field.seats) * self.games_per_set(field)

    def games_per_set(self, field: Field) -> int:
        """Return the number of games that each set plays."""
        people, seats = len(field.entries), field.seats
        games = seats * self.passes
        is_odd = comb(people, seats) * games % 2 == 1
        return games * 2 if is_odd and self.tables > 1 and 2 * seats <= people < 3 * seats else games


@lru_cache(maxsize=8)
def _draw_blocks(format_: RoundRobin, field: Field) -> tuple[Block, ...]:
    packed = _pack_blocks(format_, field)
    played: Counter[EntrantSet] = Counter()
    blocks = []
    for index in order_by_lots(field.seed, "blocks", map(str, range(len(packed)))):
        tables = []
        for people in packed[int(index)]:
            names = sorted(people)
            # The seats rotate with each game of a set, so that each entrant sits in a new seat.
            tables.append(rotate_seats(names, played[people], field.seed, f"table {' '.join(names)}"))
            played[people] += 1
        blocks.append(tables)
    return number_blocks(blocks, 1, 1)


def _pack_blocks(format_: RoundRobin, field: Field) -> list[PackedBlock]:
    """Return the sets of entrants that form the tables of each block. Each set comes once for each of its games."""
    labels = {" ".join(sorted(people)): frozenset(people) for people in combinations(field.names(), field.seats)}
    batches = [
        [labels[label] for label in order_by_lots(field.seed, f"turn {turn}", labels)]
        for turn in range(format_.games_per_set(field))
    ]
    singles = [[people] for batch in batches for people in batch]
    if format_.tables == 1 or len(field.entries) < 2 * field.seats:
        return singles
    owners = field.owners()
    packed = pack_into_blocks(batches, format_.tables, owners)
    if field.keeps_owners_apart and any(_is_owner_at_two_tables(block, owners) for block in packed):
        return singles
    return packed


def _is_owner_at_two_tables(block: PackedBlock, owners: Mapping[str, str]) -> bool:
    present = [owner for people in block for owner in {owners[name] for name in people}]
    return len(set(present)) < len(present)
