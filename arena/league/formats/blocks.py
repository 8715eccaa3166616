"""Tables become blocks: with numbers, and, where a table plays several games, in other seats each time."""

from collections.abc import Iterable, Sequence

from arena.league.formats.grouping import Grouping
from arena.league.formats.seating import seat_balanced
from arena.league.lots import order_by_lots
from arena.league.model import Block

Tables = Sequence[tuple[str, ...]]
"""The tables of one block: names by seat."""


def number_blocks(blocks: Iterable[Tables], first: int, number: int, label: str = "") -> tuple[Block, ...]:
    """Make the blocks of round `number`, numbered from `first`."""
    return tuple(Block(first + index, number, tuple(tables), label) for index, tables in enumerate(blocks))


def cut_into_tables(order: Sequence[int], size: int, blocks: int) -> Grouping:
    """Cut an order of people into tables, with nobody on the bench."""
    return Grouping(tuple(tuple(order[at : at + size]) for at in range(0, len(order), size)), (), blocks)


def name_tables(grouping: Grouping, names: Sequence[str]) -> list[Tables]:
    """The tables of each block of a grouping, by the names of those whom it numbers."""
    return [[tuple(names[one] for one in table) for table in block] for block in grouping.blocks()]


def repeat_games(blocks: Sequence[Tables], games: int, seed: bytes, label: str) -> list[Tables]:
    """Let every table play so many games, a block each, all first games before the second ones.

    Within as many games as there are seats everybody sits in each once. `label` is what lots for seats are drawn for.
    """
    return [[rotate_seats(table, game, seed, label) for table in tables] for game in range(games) for tables in blocks]


def rotate_seats(table: Sequence[str], game: int, seed: bytes, label: str) -> tuple[str, ...]:
    """Seat a table for its game with this index."""
    cycle, index = divmod(game, 2 * len(table))
    return seat_balanced(order_by_lots(seed, f"{label}, seats, cycle {cycle + 1}", table), index)
