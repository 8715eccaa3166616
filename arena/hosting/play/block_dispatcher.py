"""The dispatcher of a league: it gives each block to the pool that suits it best until none is left.

    Schedule ──▶ waiting blocks ──▶ a BotPool with room ──▶ BlockRunner.play ──▶ Ledger

A lost node costs only time: another node resumes its blocks. A slow bot delays only its opponents, because it holds no
more than its share of the tables (in a small field everybody plays it).
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog

from arena.errors import BotStartError, EnvironmentFaultError
from arena.hosting.play.block_runner import BlockRunner
from arena.hosting.play.bot_pool import BotPool, CrashHandler
from arena.hosting.play.concurrency_limiter import ConcurrencyLimiter
from arena.hosting.play.play_policy import PlayPolicy
from arena.hosting.play.pool_lease import PoolLease
from arena.hosting.seal.amendments import departed_entrants
from arena.hosting.seal.ledger import Ledger
from arena.hosting.seal.schedule import Schedule
from arena.league.model import Block
from arena.league.ports import BlockRow
from arena.match.ports import MatchId
from arena.runner.connection import LineCutError

log = structlog.get_logger(__name__)

MAX_RESTARTS: Final = 3
"""Restarts of a crashed bot in one league, before it forfeits."""
LOOKAHEAD_BLOCKS: Final = 64
"""The number of waiting blocks; a later one goes first if the bots of earlier ones are busy."""


class BlockDispatcher:
    """Plays the blocks of one league."""

    def __init__(
        self,
        schedule: Schedule,
        ledger: Ledger,
        runner: BlockRunner,
        limiter: ConcurrencyLimiter,
        new_match_id: Callable[[], MatchId],
        build_pools: Callable[[CrashHandler], Sequence[BotPool]],
        policy: PlayPolicy,
    ) -> None:
        """`build_pools` returns the pool of each node; the pools call its argument when a bot crashes."""
        self.away = departed_entrants(ledger.acts)
        """Entrants that forfeit from now on, with the reason."""
        self._schedule = schedule
        self._ledger = ledger
        self._runner = runner
        self._limiter = limiter
        self._new_match_id = new_match_id
        self._policy = policy
        self._waiting: list[Block] = []
        self._playing: dict[int, Block] = {}
        """Blocks being played, by number."""
        self._changed = asyncio.Event()
        """Set when a table or a block has ended."""
        self._restarts = Counter(act.values["name"] for act in ledger.acts if act.kind == "restarted")
        self.pools = build_pools(self._on_crash)

    async def play(self) -> None:
        """Play all blocks that are left. Raises EnvironmentFaultError if no node is left.

        When cancelled, it leaves the tables as they are; the caller that stops the nodes can resume them later.
        """
        try:
            async with asyncio.TaskGroup() as blocks:
                while self._begin_blocks(blocks):
                    await self._changed.wait()
                    self._changed.clear()
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None  # the first error cancelled the others; callers expect no group
        finally:
            await asyncio.gather(*(pool.shut_down() for pool in self.pools))

    @asynccontextmanager
    async def play_in_background(self) -> AsyncIterator[asyncio.Task[None]]:
        """Play while the context runs, and cancel the play on exit. The task holds the error that ended the play."""
        playing = asyncio.create_task(self.play())
        try:
            yield playing
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    # ---- inside

    async def _on_crash(self, name: str, error: BotStartError) -> bool:
        """Record that a bot has crashed or does not start; return whether to start it again."""
        if name in self.away:
            return False
        values: dict[str, Any] = {"name": name, "how": str(error), "kind": type(error).__name__}
        if self._restarts[name] < MAX_RESTARTS:
            self._restarts[name] += 1
            values |= {"time": self._restarts[name], "of": MAX_RESTARTS}
            await self._ledger.add_entry("restarted", values)
            return True
        self.away[name] = str(error)
        await self._ledger.add_entry("away", values)
        await asyncio.gather(*(pool.give_up(name) for pool in self.pools if pool.is_up))
        return False

    def _begin_blocks(self, blocks: asyncio.TaskGroup) -> bool:
        """Begin every block that can begin; return whether any block is being played."""
        self._refill_waiting()
        while (placement := self._next_placement()) is not None:
            block, pool = placement
            self._waiting.remove(block)
            self._playing[block.number] = block
            row = self._ledger.unfinished_attempt(block.number) or self._new_attempt(block)
            lease = PoolLease(pool, block.tables, self.away, self._changed.set)  # reserves its places right away
            blocks.create_task(self._play_block(block, row, pool, lease))
            self._refill_waiting()
        if self._waiting and not self._playing:
            raise EnvironmentFaultError("no node is left that could play")
        return bool(self._playing)

    def _refill_waiting(self) -> None:
        self._waiting += self._schedule.take(LOOKAHEAD_BLOCKS - len(self._waiting))

    def _next_placement(self) -> tuple[Block, BotPool] | None:
        """Return the first block that fits a pool, and the fitting pool that runs most of its bots; None: none fits."""
        up = [pool for pool in self.pools if pool.is_up]
        with_room = [pool for pool in up if pool.tables < self._policy.max_tables]
        if not with_room:
            return None
        first_unfinished = min((*self._playing, *(block.number for block in self._waiting)), default=0)
        end = first_unfinished + self._policy.max_ahead * max(1, len(up))
        for block in (each for each in self._waiting if each.number < end):
            fitting = [pool for pool in with_room if self._has_room(pool, block)]
            if fitting:
                return block, max(fitting, key=lambda pool: (pool.count_running(block.names), -pool.tables))
        return None

    def _has_room(self, pool: BotPool, block: Block) -> bool:
        if pool.tables + len(block.tables) > max(self._policy.max_tables, len(block.tables)):
            return False
        playing = (name for name in block.names if name not in self.away)
        return all(pool.seats[name] < self._limiter.max_games(name) for name in playing)

    def _new_attempt(self, block: Block) -> BlockRow:
        matches = tuple(self._new_match_id() for _ in block.tables)
        attempt = self._ledger.current_attempt(block.number)
        return BlockRow(block.number, attempt, block.round, block.label, block.tables, matches)

    async def _play_block(self, block: Block, row: BlockRow, pool: BotPool, lease: PoolLease) -> None:
        """Play an attempt at a block; if it does not count, the block waits again, first in line."""
        try:
            with lease:
                await lease.acquire()
                await self._runner.play(row, pool.node, self.away, lease.release_table)
        except LineCutError as error:
            log.warning("a node has ended, its block goes on elsewhere", block=block.number, fault=str(error))
        del self._playing[block.number]
        if not self._ledger.is_done(block.number):
            self._waiting.insert(0, block)
        self._changed.set()
