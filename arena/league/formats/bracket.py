"""Who goes on in a knockout.

At a table people are ordered by mean points of place over its games of the round, then by first places, then by lots.
Of each table at least the better half goes on, of an odd number the smaller half. The first rounds make a field of
n·2^k, n being the seats of a table; from then on each round halves it, until n are left for the final. Where the next
round has room for more, people go on by their place at their table, then as above, whichever table it was.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from arena.league.field import Field
from arena.league.formats.round_history import RoundHistory, mean_points
from arena.league.lots import order_by_lots
from arena.league.model import TableResult


@dataclass(frozen=True, slots=True)
class KnockoutStage:
    """Where a knockout stands before a round."""

    number: int
    """Of the round, from 1."""
    left: tuple[str, ...]
    """Who is still in; nobody after the final."""
    out: tuple[str, ...] = ()
    """Who is not, the best first; after the final everybody."""
    rests: Counter[str] = dataclass_field(default_factory=Counter)
    """How often each went on without a game."""


def table_count(people: int, seats: int) -> int:
    """How many tables a round with so many people has.

    >>> [table_count(people, 4) for people in (4, 8, 16, 7, 15, 3, 0)]
    [1, 2, 4, 1, 3, 0, 0]
    """
    full, target = people // seats, _full_bracket_size(people, seats)
    if not full:
        return 0
    is_regular = people == seats or people == 2 * target
    return full if is_regular else min(full, -(-(people - target) // _max_eliminated(seats)))


def next_size(people: int, seats: int) -> int:
    """How many go on to the next round; after a final nobody.

    >>> [next_size(people, 4) for people in (16, 8, 4, 7, 5)]
    [8, 4, 0, 5, 4]
    """
    if people <= seats:
        return 0
    return max(_full_bracket_size(people, seats), people - table_count(people, seats) * _max_eliminated(seats))


def _full_bracket_size(people: int, seats: int) -> int:
    """The largest n·2^k below the number of people."""
    target = seats
    while 2 * target < people:
        target *= 2
    return target


def _max_eliminated(seats: int) -> int:
    """How many at a table may go out."""
    return seats - seats // 2


def knockout_stages(field: Field, record: RoundHistory) -> Iterator[KnockoutStage]:
    """Go through a knockout, up to the first round without a result."""
    stage = KnockoutStage(1, tuple(order_by_lots(field.seed, "field", field.names_present(1))))
    yield stage
    while tables := record.tables(stage.number):
        stage = _next_stage(stage, tables, field)
        yield stage


def _next_stage(stage: KnockoutStage, tables: Sequence[TableResult], field: Field) -> KnockoutStage:
    """Where a knockout stands after a round; whoever is withdrawn leaves room for the next."""
    ranked = _rank_entrants(tables, field.seed, stage.number)
    resting = [name for name in stage.left if name not in ranked]
    order = [*resting, *ranked, *stage.out]
    present = set(field.names_present(stage.number + 1))
    left = [name for name in order if name in present][: next_size(len(stage.left), field.seats)]
    out = tuple(name for name in order if name not in left)
    return KnockoutStage(stage.number + 1, tuple(left), out, stage.rests + Counter(resting))


def _rank_entrants(tables: Sequence[TableResult], seed: bytes, number: int) -> list[str]:
    """Everybody who played a round, by place at the own table, then by points, first places and lots."""
    points, firsts = mean_points(tables), Counter(name for table in tables for name in _first_placed(table))
    lots = order_by_lots(seed, f"round {number}, ties", points)
    order = sorted(lots, key=lambda name: (-points[name], -firsts[name]))
    place: dict[str, int] = {}
    for people in dict.fromkeys(frozenset(table.seats) for table in tables):
        place |= {name: index for index, name in enumerate(name for name in order if name in people)}
    return sorted(order, key=place.__getitem__)


def _first_placed(table: TableResult) -> Iterator[str]:
    return (name for name, place in zip(table.seats, table.places, strict=True) if place == 1)
