"""A round robin over tables: everybody with everybody, in every company, in every seat. For small fields."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import ClassVar

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.formats.blocks import numbered, turned
from arena.league.formats.matching import Cell, People, matched
from arena.league.formats.port import TABLES, Size
from arena.league.formats.refusals import below_one, late, not_late, why_not_seated
from arena.league.lots import drawn
from arena.league.model import Block, BlockResult

MOST_GAMES = 5000
"""Above it a season gives as much for less."""


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Each set of as many entrants as there are seats plays as often as there are seats, each in each seat once.

    That is a pass. Every set plays, those with two of an owner too; owners are kept apart within blocks. Fixed from the
    start, one round: nobody can join, and whoever is withdrawn keeps its seats, and forfeits them.
    """

    passes: int = 1
    """Twice as many are played where the games of these are an odd number and no block can have three tables."""
    tables: int = TABLES
    """Most of a block; 1: no deal is played twice. Three tables are one block rather than leave one alone."""

    name: ClassVar[str] = "round-robin"

    def waits(self, number: int, field: Field) -> bool:
        """Tell whether this round is drawn from results: none is."""
        return False

    def why_not(self, field: Field) -> list[OptionError]:
        """Give every reason why this cannot be played with this field."""
        faults = [*why_not_seated(self.name, field), *below_one(passes=self.passes, tables=self.tables)]
        faults += [not_late(self.name, entry) for entry in late(field)]
        if not faults and (games := self.games(field)) > MOST_GAMES:
            expected = (
                f"expected at most {MOST_GAMES} games, these entrants make {games}; format season takes any number"
            )
            faults.append(OptionError("format", self.name, expected))
        return faults

    def why_not_late(self, field: Field, entry: Entry) -> OptionError | None:
        """Refuse everybody."""
        return not_late(self.name, entry)

    def round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw the one round that there is."""
        return _drawn(self, field) if number == 1 else ()

    def size(self, field: Field) -> Size:
        """Count games and rounds."""
        return Size(self.games(field), 1)

    def games(self, field: Field) -> int:
        """Count the games."""
        return comb(len(field.entries), field.seats) * self.turns(field)

    def turns(self, field: Field) -> int:
        """How often each set plays."""
        people, seats = len(field.entries), field.seats
        turns = seats * self.passes
        is_odd = comb(people, seats) * turns % 2 == 1
        return turns * 2 if is_odd and self.tables > 1 and 2 * seats <= people < 3 * seats else turns


@lru_cache(maxsize=8)
def _drawn(format_: RoundRobin, field: Field) -> tuple[Block, ...]:
    cells = _cells(format_, field)
    order = drawn(field.seed, "blocks", map(str, range(len(cells))))
    played: Counter[People] = Counter()
    return numbered([_tables(cells[int(index)], played, field.seed) for index in order], 1, 1)


def _cells(format_: RoundRobin, field: Field) -> list[Cell]:
    """Give the sets of each block."""
    labels = {" ".join(sorted(people)): frozenset(people) for people in combinations(field.names(), field.seats)}
    batches = [
        [labels[label] for label in drawn(field.seed, f"turn {turn}", labels)] for turn in range(format_.turns(field))
    ]
    if format_.tables == 1 or len(field.entries) < 2 * field.seats:
        return [[people] for batch in batches for people in batch]
    return matched(batches, format_.tables, field.owners())


def _tables(cell: Cell, played: Counter[People], seed: bytes) -> list[tuple[str, ...]]:
    """Seat the sets of a block, everybody where it has not sat before."""
    tables = []
    for people in cell:
        names = sorted(people)
        tables.append(turned(names, played[people], seed, f"table {' '.join(names)}"))
        played[people] += 1
    return tables
