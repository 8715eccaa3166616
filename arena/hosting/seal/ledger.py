"""What has happened to a league so far, as its store has it, and the one way to add to it.

A store that cannot be written pauses the league: the block that is over is kept in memory and tried again until it is
stored, and nothing new begins meanwhile.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import structlog

from arena.errors import StoreError
from arena.ids import id_time
from arena.league.model import Block, BlockResult, TableResult
from arena.league.ports import DONE, OPEN, VOID, BlockRow, LeagueStore, LedgerEntry
from arena.match.ports import MatchId
from arena.plain_data import from_plain, to_plain

log = structlog.get_logger(__name__)

RETRY_S: Final = 0.5
ANALYTICS_CHUNK_BLOCKS: Final = 500
"""Blocks whose insight is in memory at one time."""

StoreResult = TypeVar("StoreResult")


class Ledger:
    """Of one league. Made by `read_ledger`."""

    def __init__(
        self,
        league: str,
        store: LeagueStore,
        acts: Sequence[LedgerEntry],
        rows: Sequence[BlockRow],
        clock: Callable[[], float],
    ) -> None:
        """`clock` gives seconds since 1970."""
        self.acts = list(acts)
        self.paused = asyncio.Event()
        """Set while the store cannot be written."""
        self._league = league
        self._store = store
        self._clock = clock
        self.last_round = max((row.round for row in rows), default=0)
        """The latest round of which anything has begun; 0 before the first."""
        self._began_at = min(filter(None, map(_start_time, rows)), default=None)
        self._rows = {(row.number, row.attempt): replace(row, results=()) for row in rows}
        self._void_counts = Counter(act.values["block"] for act in self.acts if act.kind == VOID)
        self._results = {row.number: block_result_from_row(row) for row in rows if row.state == DONE}
        self._history: list[BlockResult] | None = None
        """None: it has changed since somebody asked."""
        self.strikes: Counter[str] = Counter()
        """Of everybody, in all blocks that were over."""
        for result in self._results.values():
            self._count_strikes(result)

    @property
    def rows(self) -> Sequence[BlockRow]:
        """All attempts at blocks, without their results: `history` has those that count."""
        return [self._rows[key] for key in sorted(self._rows)]

    @property
    def age_s(self) -> float:
        """Seconds since the first game began, breaks and all; 0 before."""
        return 0.0 if self._began_at is None else self._clock() - self._began_at

    @property
    def history(self) -> list[BlockResult]:
        """How the blocks went that count, by number."""
        if self._history is None:
            self._history = [self._results[number] for number in sorted(self._results) if self.is_done(number)]
        return self._history

    @property
    def game_count(self) -> int:
        """How many games count."""
        return sum(len(result.tables) for result in self.history)

    def is_done(self, number: int) -> bool:
        """Whether this block counts already."""
        result = self._results.get(number)
        return result is not None and result.attempt == self.current_attempt(number)

    def is_current(self, row: BlockRow) -> bool:
        """Whether an attempt counts, or will when it is over: it is not void."""
        return row.attempt == self.current_attempt(row.number)

    def current_attempt(self, number: int) -> int:
        """Which attempt at a block counts: one more for each that was void."""
        return self._void_counts[number]

    def unfinished_attempt(self, number: int) -> BlockRow | None:
        """The attempt that was begun and has not ended."""
        row = self._rows.get((number, self.current_attempt(number)))
        return row if row is not None and row.state != DONE else None

    def unfinished_matches(self) -> Sequence[MatchId]:
        """The matches of all attempts that have not ended."""
        return [match_id for row in self._rows.values() if row.state == OPEN for match_id in row.matches]

    @property
    def counting_attempts(self) -> dict[int, int]:
        """The blocks that count, by number, and which attempt at each does."""
        return {result.block.number: result.attempt for result in self.history}

    def block_analytics(self) -> AsyncIterator[Mapping[str, Any]]:
        """What the blocks that count say about the bots."""
        return read_block_analytics(self._league, self._store, self.counting_attempts)

    async def add_entry(self, kind: str, values: Mapping[str, Any]) -> LedgerEntry:
        """Add a line."""
        act = await self.retry_until_stored(
            lambda: self._store.add_ledger_entry(self._league, kind, self._clock(), values)
        )
        self.acts.append(act)
        if kind == VOID:
            self._void_counts[values["block"]] += 1
            self._history = None
        return act

    async def void_attempt(self, row: BlockRow, reason: str, **more: Any) -> LedgerEntry:
        """An attempt counts no more: its block is played again with another deal."""
        games = list(row.matches)
        return await self.add_entry(
            VOID, {"block": row.number, "attempt": row.attempt, "games": games, "reason": reason, **more}
        )

    async def open_attempt(self, row: BlockRow) -> None:
        """An attempt begins, or goes on at another node."""
        await self.retry_until_stored(lambda: self._store.open_block(self._league, row))
        self._rows[row.number, row.attempt] = row
        self.last_round = max(self.last_round, row.round)
        self._began_at = self._began_at or _start_time(row)

    async def end_attempt(
        self, row: BlockRow, tables: Sequence[TableResult], insight: Mapping[str, Any] | None = None
    ) -> None:
        """An attempt is over, with the results of its tables.

        They stand in the store with their matches too. The block has them in its own row so that it counts with one
        transaction, and so that a league of a hundred thousand games is opened by reading one table, also by earlier
        versions; nothing that is sealed or published is a hash of them.
        """
        results = tuple(map(_table_values, tables))
        ended = replace(row, state=DONE, results=results, insight=insight, ended_at=self._clock())
        await self.retry_until_stored(lambda: self._store.end_block(self._league, ended))
        self._rows[row.number, row.attempt] = replace(ended, results=(), insight=None)
        self._results[row.number] = result = BlockResult(block_from_row(row), tuple(tables), row.attempt)
        self._history = None
        self._count_strikes(result)

    def _count_strikes(self, result: BlockResult) -> None:
        for table in result.tables:
            for name, strikes in zip(table.seats, table.strikes, strict=False):
                self.strikes[name] += sum(strikes.values())

    async def retry_until_stored(self, write: Callable[[], Awaitable[StoreResult]]) -> StoreResult:
        """Do what needs the store, and try again until it is done."""
        while True:
            try:
                written = await write()
            except StoreError as fault:
                if not self.paused.is_set():
                    log.error("the store cannot be written, the league pauses", fault=str(fault))  # noqa: TRY400  it says enough
                self.paused.set()
                await asyncio.sleep(RETRY_S)
            else:
                self.paused.clear()
                return written


async def read_ledger(league: str, store: LeagueStore, clock: Callable[[], float]) -> Ledger:
    """Read what has happened to a league. Raises StoreError."""
    return Ledger(league, store, await store.ledger_entries(league), await store.blocks(league), clock)


async def read_block_analytics(
    league: str, store: LeagueStore, counting: Mapping[int, int]
) -> AsyncIterator[Mapping[str, Any]]:
    """Read what blocks say about the bots, in parts: it may be more than memory should hold.

    `counting`: as `Ledger.counting`.
    """
    for start in range(0, max(counting, default=0) + 1, ANALYTICS_CHUNK_BLOCKS):
        found = await store.block_analytics(league, range(start, start + ANALYTICS_CHUNK_BLOCKS))
        for number, attempt in sorted(found):
            if counting.get(number) == attempt:
                yield found[number, attempt]


def block_from_row(row: BlockRow) -> Block:
    """The block of an attempt."""
    return Block(row.number, row.round, row.tables, row.label)


def block_result_from_row(row: BlockRow) -> BlockResult:
    """How a block went that is done."""
    return BlockResult(block_from_row(row), from_plain(row.results, tuple[TableResult, ...]), row.attempt)


def _start_time(row: BlockRow) -> float | None:
    """When an attempt began, seconds since 1970."""
    return min(filter(None, map(id_time, row.matches)), default=None)


def _table_values(table: TableResult) -> dict[str, Any]:
    """How a table went, as it is kept; strikes stay in the order of their kinds."""
    return {**to_plain(table), "strikes": [dict(strikes) for strikes in table.strikes]}
