"""A round robin over tables: every set of entrants plays, in every seat. For small fields."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import ClassVar

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.formats.block_packing import EntrantSet, PackedBlock, pack_into_blocks
from arena.league.formats.blocks import number_blocks, rotate_seats
from arena.league.formats.port import DEFAULT_MAX_TABLES, ScheduleSize
from arena.league.formats.validation import late_entries, late_entry_error, options_below_one, why_field_unseatable
from arena.league.lots import order_by_lots
from arena.league.model import Block, BlockResult

MAX_GAMES = 5000
"""Limit above which a season gives as much information for fewer games."""


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """A pass: each set of n entrants, with n seats per table, plays n games, each entrant in each seat once.

    Every set plays, even with two entrants of one owner; owners are kept apart within blocks. Fixed from the start, one
    round: no late entry, and a withdrawn entrant keeps its seats and forfeits its games.
    """

    passes: int = 1
    """Number of passes; doubled if they make an odd number of games and no block can have three tables."""
    tables: int = DEFAULT_MAX_TABLES
    """Most tables of a block; 1: no deal is played twice. Three tables form one block rather than leave one alone."""

    name: ClassVar[str] = "round-robin"

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Return False: no round depends on results."""
        return False

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Return all reasons why this field cannot play the format."""
        faults = [*why_field_unseatable(self.name, field), *options_below_one(passes=self.passes, tables=self.tables)]
        faults += [late_entry_error(self.name, entry) for entry in late_entries(field)]
        if not faults and (games := self.game_count(field)) > MAX_GAMES:
            expected = (
                f"expected at most {MAX_GAMES} games, these entrants make {games}; format season takes any number"
            )
            faults.append(OptionError("format", self.name, expected))
        return faults

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Refuse every late entry."""
        return late_entry_error(self.name, entry)

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw the only round."""
        return _draw_blocks(self, field) if number == 1 else ()

    def size(self, field: Field) -> ScheduleSize:
        """Return the number of games and rounds."""
        return ScheduleSize(self.game_count(field), 1)

    def game_count(self, field: Field) -> int:
        """Return the number of games."""
        return comb(len(field.entries), field.seats) * self.games_per_set(field)

    def games_per_set(self, field: Field) -> int:
        """Return how often each set plays."""
        people, seats = len(field.entries), field.seats
        turns = seats * self.passes
        is_odd = comb(people, seats) * turns % 2 == 1
        return turns * 2 if is_odd and self.tables > 1 and 2 * seats <= people < 3 * seats else turns


@lru_cache(maxsize=8)
def _draw_blocks(format_: RoundRobin, field: Field) -> tuple[Block, ...]:
    cells = _pack_blocks(format_, field)
    order = order_by_lots(field.seed, "blocks", map(str, range(len(cells))))
    played: Counter[EntrantSet] = Counter()
    return number_blocks([_seat_tables(cells[int(index)], played, field.seed) for index in order], 1, 1)


def _pack_blocks(format_: RoundRobin, field: Field) -> list[PackedBlock]:
    """Return the sets of each block."""
    labels = {" ".join(sorted(people)): frozenset(people) for people in combinations(field.names(), field.seats)}
    batches = [
        [labels[label] for label in order_by_lots(field.seed, f"turn {turn}", labels)]
        for turn in range(format_.games_per_set(field))
    ]
    if format_.tables == 1 or len(field.entries) < 2 * field.seats:
        return [[people] for batch in batches for people in batch]
    return pack_into_blocks(batches, format_.tables, field.owners())


def _seat_tables(cell: PackedBlock, played: Counter[EntrantSet], seed: bytes) -> list[tuple[str, ...]]:
    """Seat the sets of a block, each entrant where it has not sat before with this set."""
    tables = []
    for people in cell:
        names = sorted(people)
        tables.append(rotate_seats(names, played[people], seed, f"table {' '.join(names)}"))
        played[people] += 1
    return tables
