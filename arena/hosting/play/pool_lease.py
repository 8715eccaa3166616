"""A block's place in a pool: taken when the block is given to it, given up table by table as their games are over."""

from collections.abc import Callable, Collection, Iterable, Sequence
from types import TracebackType
from typing import Self

from arena.hosting.play.bot_pool import BotPool


class PoolLease:
    """Of one block. What it still has it gives up on leaving the context."""

    def __init__(
        self, pool: BotPool, tables: Iterable[Sequence[str]], away: Collection[str], left: Callable[[], None]
    ) -> None:
        """`away`: who is not waited for. `left` is told of each table whose place is free again."""
        self._pool = pool
        self._left = left
        self._held = {tuple(seats): [name for name in seats if name not in away] for seats in tables}
        self._is_there = False
        for names in self._held.values():
            pool.reserve_table(names)

    async def acquire(self) -> None:
        """Have all its bots there. Raises LineCutError when the node has gone."""
        await self._pool.acquire([name for names in self._held.values() for name in names])
        self._is_there = True

    def release_table(self, seats: Sequence[str]) -> None:
        """A table is over."""
        self._pool.release_table(self._held.pop(tuple(seats)), self._is_there)
        self._left()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        for seats in tuple(self._held):
            self.release_table(seats)
