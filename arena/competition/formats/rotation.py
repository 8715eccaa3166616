"""Draws rounds in which all entrants play, meet each other and sit in each seat about equally often.

Each round follows from the rounds before it, never from results. `round_shape` keeps the entrants of one owner apart.
The entrants with the fewest games play. Entrants that have met least often sit together. Each entrant gets the seat in
which it has sat least often. Lots decide between equals.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from arena.competition.formats.blocks import Tables, number_blocks
from arena.competition.formats.grouping import improve
from arena.competition.formats.round_shape import RoundShape, choose_players, place_players, shape_round
from arena.competition.formats.seating import seat_least_used
from arena.competition.formats.separation import build_costs, spread_owners
from arena.competition.league.field import Field
from arena.competition.league.lots import order_by_lots
from arena.competition.league.model import Block


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation, given by its settings."""

    field: Field
    games: int
    """Number of games. One game fewer is played if the last table would be alone in its block."""
    max_tables: int
    """The largest number of tables in a block. With 2, three tables may form a block, so that none is alone."""
    fixed: tuple[str, ...] = ()
    """Entrants that sit at every table, so that each block has one table. The others take turns."""
    fixed_at_once: int | None = None
    """How many of `fixed` sit at a table, if they take turns too; None if all do."""

    def rounds(self) -> Iterator[list[Tables]]:
        """Yield each round as the tables of its blocks."""
        tally = _RotationTally(self.field)
        left, number = self.games, 1
        while left and (blocks := self._draw_round(tally, number, left)):
            yield blocks
            left, number = left - sum(map(len, blocks)), number + 1

    def _draw_round(self, tally: "_RotationTally", number: int, left: int) -> list[Tables]:
        names = self.field.names_entered(number)
        people = tally.number_entrants(order_by_lots(self.field.seed, f"round {number}", self._take_turns(names)))
        shape = self.shape_of_round(names, left)
        if not shape.tables:
            return []
        grouping = tally.choose_grouping(people, shape, self._free_seats)
        return [tally.seat_tables(tables, self.fixed, self.fixed_at_once) for tables in grouping]

    def shape_of_round(self, names: Sequence[str], left: int) -> RoundShape:
        """Return the number of tables and blocks of a round of these entrants, while `left` games remain."""
        turns, size = self._take_turns(names), self._free_seats
        owners = self.field.owners()
        apart = [owners[name] for name in turns] if self.field.keeps_owners_apart else turns
        return shape_round(apart, size, 1 if self.fixed else self.max_tables, left)

    @property
    def _free_seats(self) -> int:
        return self.field.seats - len(self.fixed[: self.fixed_at_once])

    def _take_turns(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name not in self.fixed]


class _RotationTally:
    """Counts the games, meetings, seats and neighbours of each entrant. Entrants have numbers."""

    def __init__(self, field: Field) -> None:
        self._names = order_by_lots(field.seed, "rota", field.names())
        self._number = {name: number for number, name in enumerate(self._names)}
        owners = field.owners()
        self._owners = [owners[name] for name in self._names]
        count = len(self._names)
        self._games: dict[int, int] = {}
        self._meets = np.zeros((count, count), np.int64)
        self._seats = np.zeros((count, field.seats), np.int64)
        self._follows = np.zeros((count, count), np.int64)

    def number_entrants(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of these names. A new entrant starts with the lowest number of games among the others."""
        people = [self._number[name] for name in names]
        least = min((self._games[one] for one in people if one in self._games), default=0)
        for one in people:
            self._games.setdefault(one, least)
        return people

    def choose_grouping(self, people: Sequence[int], shape: RoundShape, size: int) -> list[list[tuple[int, ...]]]:
        """Choose who plays and who shares a table. Return the tables of each block, as entrant numbers."""
        if not size:
            return [[()]]
        owners = [self._owners[one] for one in people]
        games = [self._games[one] for one in people]
        order = sorted(range(len(people)), key=games.__getitem__)
        if shape.is_strict:
            playing = choose_players(order, shape, size, owners)
            resting = [one for one in order if one not in playing]
            start = place_players(playing, resting, shape, size, owners)
        else:
            play = shape.tables * size
            start = spread_owners(order[:play], order[play:], shape.tables, shape.blocks, owners)
        meets = self._meets[np.ix_(people, people)]
        grouping = improve(start, build_costs(owners, meets, games, owners_first=shape.is_strict))
        return [[tuple(people[index] for index in table) for table in block] for block in grouping.blocks()]

    def seat_tables(self, tables: Sequence[Sequence[int]], fixed: Sequence[str], at_once: int | None = None) -> Tables:
        """Return each table's names by seat, and count the games. Of the fixed entrants, `at_once` sit at a table."""
        always, seated = self.number_entrants(fixed), []
        for table in tables:
            if at_once is not None:
                always = sorted(always, key=lambda one: (self._games[one], one))
            order = seat_least_used([*always[:at_once], *table], self._seats, self._follows)
            for seat, one in enumerate(order):
                self._games[one] += 1
                self._seats[one, seat] += 1
                self._follows[order[seat - 1], one] += 1
            self._meets[np.ix_(order, order)] += 1 - np.eye(len(order), dtype=np.int64)
            seated.append(tuple(self._names[one] for one in order))
        return seated


class RotationSchedule:
    """The blocks of a rotation. Each round is drawn when first needed, and then remembered."""

    def __init__(self, rotation: Rotation) -> None:
        self._further_rounds = rotation.rounds()
        self._rounds: list[tuple[Block, ...]] = []
        self._next = 1

    def round_blocks(self, number: int) -> tuple[Block, ...]:
        """Return the blocks of a round, numbered from 1; empty if the schedule has fewer rounds."""
        while len(self._rounds) < number and (tables := next(self._further_rounds, None)):
            blocks = number_blocks(tables, self._next, len(self._rounds) + 1)
            self._rounds.append(blocks)
            self._next += len(blocks)
        return self._rounds[number - 1] if number <= len(self._rounds) else ()


@lru_cache(maxsize=8)
def rotation_schedule(rotation: Rotation) -> RotationSchedule:
    """Return the schedule of a rotation.

    The schedule is cached, so that a league of many rounds draws each round once.
    """
    return RotationSchedule(rotation)
