"""Decides who advances in a knockout.

The players of a table are ranked by their mean place points over that table's games in the round, then by first places,
then by lots. At least the better half of each table advances. If the number of seats is odd, this half is rounded down.
The first rounds reduce the field to n·2^k players, with n seats per table. From then on each round halves the field,
until n players are left for the final. If the next round has room for more players, they are chosen from all tables: by
their rank at their table, then by the same criteria as above.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from arena.competition.formats.round_history import RoundHistory, mean_points
from arena.competition.league.field import Field
from arena.competition.league.lots import order_by_lots
from arena.competition.league.model import TableResult


@dataclass(frozen=True, slots=True)
class KnockoutStage:
    """The state of a knockout before a round."""

    number: int
    """Number of the round, from 1."""
    left: tuple[str, ...]
    """Players that are still in the knockout; empty after the final."""
    out: tuple[str, ...] = ()
    """Players that are out, best first. After the final these are all players."""
    rests: Counter[str] = dataclass_field(default_factory=Counter)
    """How often each player advanced without a game."""


def table_count(people: int, seats: int) -> int:
    """Return the number of tables of a round with this many players.

    >>> [table_count(people, 4) for people in (4, 8, 16, 7, 15, 3, 0)]
    [1, 2, 4, 1, 3, 0, 0]
    """
    full, target = people // seats, _full_bracket_size(people, seats)
    if not full:
        return 0
    is_regular = people == seats or people == 2 * target
    return full if is_regular else min(full, -(-(people - target) // _max_eliminated(seats)))


def next_size(people: int, seats: int) -> int:
    """Return how many players advance to the next round; 0 if this round is the final.

    >>> [next_size(people, 4) for people in (16, 8, 4, 7, 5)]
    [8, 4, 0, 5, 4]
    """
    if people <= seats:
        return 0
    return max(_full_bracket_size(people, seats), people - table_count(people, seats) * _max_eliminated(seats))


def _full_bracket_size(people: int, seats: int) -> int:
    """Return the largest n·2^k below the number of players, but at least n."""
    target = seats
    while 2 * target < people:
        target *= 2
    return target


def _max_eliminated(seats: int) -> int:
    return seats - seats // 2


def knockout_stages(field: Field, record: RoundHistory) -> Iterator[KnockoutStage]:
    """Yield the stages of a knockout, up to the first round without a result.

    A withdrawn player makes room for the next best one.
    """
    stage = KnockoutStage(1, tuple(order_by_lots(field.seed, "field", field.names_present(1))))
    yield stage
    while tables := record.tables(stage.number):
        ranked = _rank_entrants(tables, field.seed, stage.number)
        resting = [name for name in stage.left if name not in ranked]
        order = [*resting, *ranked, *stage.out]
        present = set(field.names_present(stage.number + 1))
        left = [name for name in order if name in present][: next_size(len(stage.left), field.seats)]
        out = tuple(name for name in order if name not in left)
        stage = KnockoutStage(stage.number + 1, tuple(left), out, stage.rests + Counter(resting))
        yield stage


def _rank_entrants(tables: Sequence[TableResult], seed: bytes, number: int) -> list[str]:
    """Return the players of a round, ordered by rank at their own table, then by points, first places and lots."""
    points = mean_points(tables)
    finishes = (finish for table in tables for finish in zip(table.seats, table.places, strict=True))
    first_places = Counter(name for name, place in finishes if place == 1)
    lots = order_by_lots(seed, f"round {number}, ties", points)
    order = sorted(lots, key=lambda name: (-points[name], -first_places[name]))
    place: dict[str, int] = {}
    for people in dict.fromkeys(frozenset(table.seats) for table in tables):
        place |= {name: index for index, name in enumerate(name for name in order if name in people)}
    return sorted(order, key=place.__getitem__)
