"""The lease of a block in a pool. It begins when the block is assigned, and ends table by table as games end."""

from collections.abc import Callable, Collection, Iterable, Sequence
from types import TracebackType
from typing import Self

from arena.organizer.play.bot_pool import BotPool


class PoolLease:
    """The lease of one block. On exit from the context, the lease releases all tables that it still holds."""

    def __init__(
        self, pool: BotPool, tables: Iterable[Sequence[str]], away: Collection[str], on_release: Callable[[], None]
    ) -> None:
        """The lease does not wait for the bots in `away`. `on_release` is called after each released table."""
        self._pool = pool
        self._on_release = on_release
        self._held = {tuple(seats): [name for name in seats if name not in away] for seats in tables}
        self._has_bots = False
        for names in self._held.values():
            pool.reserve_table(names)

    async def acquire(self) -> None:
        """Wait until all bots of the block are running. Raises LineCutError if the node has ended."""
        await self._pool.acquire([name for names in self._held.values() for name in names])
        self._has_bots = True

    def release_table(self, seats: Sequence[str]) -> None:
        """Release a table that has ended, even while others of its block are played.

        So enough tables run at any time to fill each frame: few large frames cost less than many small ones.
        """
        self._pool.release_table(self._held.pop(tuple(seats)), self._has_bots)
        self._on_release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for seats in tuple(self._held):
            self.release_table(seats)
