"""Plays a league: gives each block to the bench that suits it best, until none is left or somebody stops it.

    Schedule ──▶ waiting blocks ──▶ a bench with room ──▶ Tables.play ──▶ Ledger

A node that dies costs nothing but time: what it had begun goes on elsewhere. Nobody waits for a slow bot but those who
play it: it holds no more than its share of the tables (in a small field everybody plays it).
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final

import structlog

from arena.errors import BotStartError, EnvironmentFaultError
from arena.hosting.play.block_runner import BlockRunner
from arena.hosting.play.bot_pool import BotPool
from arena.hosting.play.concurrency_limiter import MAX_TABLES, ConcurrencyLimiter
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
"""So often a bot that crashes is started again in one league."""
LOOKAHEAD_BLOCKS: Final = 64
"""So many blocks wait to be taken; a later one goes first where the bots of those before it are busy."""


class BlockDispatcher:
    """Of one league."""

    def __init__(
        self,
        schedule: Schedule,
        ledger: Ledger,
        tables: BlockRunner,
        new_match_id: Callable[[], MatchId],
        load: ConcurrencyLimiter,
        most_tables: int = MAX_TABLES,
        most_ahead: float = inf,
    ) -> None:
        """`max_tables`: at a node at once; a block that has more is played alone.

        `max_ahead`: in blocks a node, how far a block that begins may be ahead of the first one that is not over.
        """
        self.away = departed_entrants(ledger.acts)
        """Who forfeits from now on, and why."""
        self.benches: Sequence[BotPool] = ()
        self._schedule = schedule
        self._ledger = ledger
        self._tables = tables
        self._new_match_id = new_match_id
        self._load = load
        self._most_tables = most_tables
        self._most_ahead = most_ahead
        self._waiting: list[Block] = []
        self._tasks: dict[asyncio.Task[None], Block] = {}
        self._changed = asyncio.Event()
        """A table or a block is over."""
        self._restarts = Counter(act.values["name"] for act in ledger.acts if act.kind == "restarted")

    async def play(self) -> None:
        """Play all that is left. Raises EnvironmentFaultError when no node is left.

        Cancelled, it leaves everything where it stands; whoever ends the nodes keeps what is under way.
        """
        try:
            while self._begin_blocks():
                await self._changed.wait()
                self._changed.clear()
                for task in [each for each in self._tasks if each.done()]:
                    self._finish_block(task)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.gather(*(bench.shut_down() for bench in self.benches))

    async def on_crash(self, name: str, fault: BotStartError) -> bool:
        """A bot has crashed or does not start: tell whether it is to be started again. Either is kept."""
        if name in self.away:
            return False
        values: dict[str, Any] = {"name": name, "how": str(fault), "kind": type(fault).__name__}
        if self._restarts[name] < MAX_RESTARTS:
            self._restarts[name] += 1
            values |= {"time": self._restarts[name], "of": MAX_RESTARTS}
            await self._ledger.add_entry("restarted", values)
            return True
        self.away[name] = str(fault)
        await self._ledger.add_entry("away", values)
        await asyncio.gather(*(bench.give_up(name) for bench in self.benches if bench.is_up))
        return False

    # ---- inside

    def _begin_blocks(self) -> bool:
        """Begin what can begin; tells whether anything is under way."""
        self._waiting += self._schedule.take(LOOKAHEAD_BLOCKS - len(self._waiting))
        while (found := self._next_placement()) is not None:
            block, bench = found
            self._waiting.remove(block)
            self._begin_block(block, bench)
            self._waiting += self._schedule.take(LOOKAHEAD_BLOCKS - len(self._waiting))
        if self._waiting and not self._tasks:
            raise EnvironmentFaultError("no node is left that could play")
        return bool(self._tasks)

    def _next_placement(self) -> tuple[Block, BotPool] | None:
        """The first block for which a bench has room, and the bench that has most of its bots."""
        up = [bench for bench in self.benches if bench.is_up]
        with_room = [bench for bench in up if bench.tables < self._most_tables]
        if not with_room:
            return None
        end = self._first_unfinished + self._most_ahead * max(1, len(up))
        for block in (each for each in self._waiting if each.number < end):
            fitting = [bench for bench in with_room if self._has_room(bench, block)]
            if fitting:
                return block, max(fitting, key=lambda bench: (bench.count_running(block.names), -bench.tables))
        return None

    @property
    def _first_unfinished(self) -> int:
        """The number of the first block that is not over."""
        return min((block.number for block in (*self._waiting, *self._tasks.values())), default=0)

    def _has_room(self, bench: BotPool, block: Block) -> bool:
        if bench.tables + len(block.tables) > max(self._most_tables, len(block.tables)):
            return False
        playing = (name for name in block.names if name not in self.away)
        return all(bench.seats[name] < self._load.max_games(name) for name in playing)

    def _begin_block(self, block: Block, bench: BotPool) -> None:
        row = self._ledger.unfinished_attempt(block.number) or self._new_attempt(block)
        stay = PoolLease(bench, block.tables, self.away, self._changed.set)
        task = asyncio.ensure_future(self._play_block(row, bench, stay))
        task.add_done_callback(lambda _: self._changed.set())
        self._tasks[task] = block

    def _new_attempt(self, block: Block) -> BlockRow:
        matches = tuple(self._new_match_id() for _ in block.tables)
        attempt = self._ledger.current_attempt(block.number)
        return BlockRow(block.number, attempt, block.round, block.label, block.tables, matches)

    async def _play_block(self, row: BlockRow, bench: BotPool, stay: PoolLease) -> None:
        with stay:
            await stay.acquire()
            await self._tables.play(row, bench.node, self.away, stay.release_table)

    def _finish_block(self, task: "asyncio.Task[None]") -> None:
        """A block has ended; where it does not count it waits again, before all others. Raises what else has failed."""
        block = self._tasks.pop(task)
        try:
            task.result()
        except LineCutError as fault:
            log.warning("a node has ended, its block goes on elsewhere", block=block.number, fault=str(fault))
        if not self._ledger.is_done(block.number):
            self._waiting.insert(0, block)
