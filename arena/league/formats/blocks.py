"""Tables become blocks: with numbers, and, where a table plays several games, in other seats each time."""

from collections.abc import Iterable, Sequence

from arena.league.formats.seating import balanced
from arena.league.lots import drawn
from arena.league.model import Block, BlockResult

Tables = Sequence[tuple[str, ...]]
"""The tables of one block: names by seat."""


def numbered(blocks: Iterable[Tables], first: int, number: int, label: str = "") -> tuple[Block, ...]:
    """Make the blocks of round `number`, numbered from `first`."""
    return tuple(Block(first + index, number, tuple(tables), label) for index, tables in enumerate(blocks))


def next_number(history: Iterable[BlockResult], number: int) -> int:
    """The number of the first block of a round, behind those of the rounds before it."""
    return 1 + max((result.block.number for result in history if result.block.round < number), default=0)


def several(blocks: Sequence[Tables], games: int, seed: bytes, label: str) -> list[Tables]:
    """Let every table play so many games, a block each, all first games before the second ones.

    Within as many games as there are seats everybody sits in each once; then lots begin anew.
    """
    return [[turned(table, game, seed, label) for table in tables] for game in range(games) for tables in blocks]


def turned(table: Sequence[str], game: int, seed: bytes, label: str) -> tuple[str, ...]:
    """Seat a table for its game with this index."""
    cycle, index = divmod(game, 2 * len(table))
    return balanced(drawn(seed, f"{label}, seats, cycle {cycle + 1}", table), index)
