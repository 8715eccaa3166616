"""Many tables at once, whose arrays are written into buffers that are there already. It is compiled like the rules."""

from collections.abc import Sequence
from typing import Any

from arena.envs.card_stream import CardStream
from arena.envs.table import NOBODY, EnvTable


class TableBatch:
    """Tables that play game after game. Each begins the next game as soon as one is over."""

    def __init__(self, tables: Sequence[EnvTable], observations: Any, masks: Any, seats: Any, last: Any) -> None:
        """The buffers are flat memoryviews of bytes, with a row for each table.

        They have its observation, its mask and the seat that is asked. `last` has the observation of each seat at the
        end of the game before.
        """
        self.tables = list(tables)
        self.games = 0
        """Number of games that have ended."""
        self.decisions = 0
        """Number of answers in these games."""
        self._streams: list[Any] = []
        self._observations: Any = observations
        self._masks: Any = masks
        self._seats: Any = seats
        self._last: Any = last
        self._seat_count = self.tables[0].seat_count
        self._observation_size = len(observations) // len(self.tables)
        self._mask_size = len(masks) // len(self.tables)

    def begin(self, streams: Sequence[CardStream]) -> None:
        """Begin the first game of each table, with the cards of its stream."""
        self._streams = list(streams)
        for index in range(len(self.tables)):
            self.begin_next(index)

    def begin_next(self, index: int) -> None:
        """Begin the next game of a table, whether its last one is over or not."""
        stream = self._streams[index]
        self.tables[index].begin_game(stream.chance, stream.next_number())
        self._write(index)

    def choose(self, indexes: Sequence[int], actions: Sequence[int]) -> list[tuple[int, tuple[float, ...], bool]]:
        """Take one action at each of these tables.

        Return index, rewards by seat, and whether it was truncated, for each game that has ended.
        """
        ended: list[tuple[int, tuple[float, ...], bool]] = []
        tables = self.tables
        for position in range(len(indexes)):
            index = indexes[position]
            table = tables[index]
            table.choose(actions[position])
            if table.seat == NOBODY:
                rewards, is_truncated = table.outcome()
                ended.append((index, rewards, is_truncated))
                self._end(index, table)
            else:
                self._write(index)
        return ended

    def _end(self, index: int, table: EnvTable) -> None:
        self.games += 1
        self.decisions += table.decisions
        size = self._observation_size
        start = index * self._seat_count * size
        for seat in range(self._seat_count):
            self._last[start : start + size] = table.observe(seat)
            start += size
        self.begin_next(index)

    def _write(self, index: int) -> None:
        table = self.tables[index]
        seat = table.seat
        size = self._observation_size
        start = index * size
        self._observations[start : start + size] = table.observe(seat)
        size = self._mask_size
        start = index * size
        self._masks[start : start + size] = table.mask()
        self._seats[index] = seat
