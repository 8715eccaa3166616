"""Turns tables into numbered blocks, and repeats the games of a table with rotated seats."""

from collections.abc import Iterable, Sequence

from arena.competition.formats.grouping import Grouping
from arena.competition.formats.seating import seat_balanced
from arena.competition.league.lots import order_by_lots
from arena.competition.league.model import Block

Tables = Sequence[tuple[str, ...]]
"""The tables of one block, each as its names by seat."""


def number_blocks(blocks: Iterable[Tables], first: int, number: int, label: str = "") -> tuple[Block, ...]:
    """Return the blocks of round `number`, numbered from `first`."""
    return tuple(Block(first + index, number, tuple(tables), label) for index, tables in enumerate(blocks))


def cut_into_tables(order: Sequence[int], size: int, blocks: int) -> Grouping:
    """Return a grouping that cuts an order of players into tables of `size` players. Nobody sits out."""
    return Grouping(tuple(tuple(order[at : at + size]) for at in range(0, len(order), size)), (), blocks)


def name_tables(grouping: Grouping, names: Sequence[str]) -> list[Tables]:
    """Return the tables of each block of a grouping, with names instead of player numbers."""
    return [[tuple(names[one] for one in table) for table in block] for block in grouping.blocks()]


def repeat_games(blocks: Sequence[Tables], games: int, seed: bytes, label: str) -> list[Tables]:
    """Return blocks in which every table plays `games` games. All first games come before all second games.

    Over as many games as a table has seats, each player sits in each seat once. `label` names the lots for the seats.
    """
    return [[rotate_seats(table, game, seed, label) for table in tables] for game in range(games) for tables in blocks]


def rotate_seats(table: Sequence[str], game: int, seed: bytes, label: str) -> tuple[str, ...]:
    """Return the players of a table by seat, for the table's game with this index."""
    cycle, index = divmod(game, 2 * len(table))
    return seat_balanced(order_by_lots(seed, f"{label}, seats, cycle {cycle + 1}", table), index)
