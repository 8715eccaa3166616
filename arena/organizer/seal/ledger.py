"""The ledger of a league: everything that has happened so far. Every new entry goes through this module.

A store that cannot be written pauses the league: a finished block stays in memory, and the write is repeated until the
block is stored. No new block begins meanwhile.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, Final, TypeVar

from arena.competition.league.model import Block, BlockResult, TableResult
from arena.competition.league.ports import DONE, OPEN, VOID, BlockRow, LeagueStore, LedgerEntry
from arena.errors import StoreDamagedError, StoreError, StoreLockedError
from arena.ids import id_time
from arena.log_lines import get_logger
from arena.match.referee.ports import MatchId
from arena.plain_data import from_plain, to_plain
from arena.typed_command import arena_command

log = get_logger(__name__)

RETRY_S: Final = 0.5
ANALYTICS_CHUNK_BLOCKS: Final = 500
"""Blocks whose analytics are in memory at one time."""

StoreResult = TypeVar("StoreResult")
VoidForBot = tuple[BlockRow, LedgerEntry]
"""An attempt that was void because the machine took time of a bot, and the entry with this bot and the places."""


class Ledger:
    """The ledger of one league. `read_ledger` creates it."""

    def __init__(
        self,
        league: str,
        store: LeagueStore,
        acts: Sequence[LedgerEntry],
        rows: Sequence[BlockRow],
        clock: Callable[[], float],
    ) -> None:
        """`clock` returns seconds since 1970."""
        self.acts = list(acts)
        self.paused = asyncio.Event()
        """Set while the store cannot be written."""
        self._league = league
        self._store = store
        self._clock = clock
        self.last_round = max((row.round for row in rows), default=0)
        """The latest round that has begun; 0 if none has."""
        self._began_at = min(filter(None, map(_start_time, rows)), default=None)
        self._rows = {(row.number, row.attempt): replace(row, results=()) for row in rows}
        self._void_counts = Counter(act.values["block"] for act in self.acts if act.kind == VOID)
        self._results = {row.number: block_result_from_row(row) for row in rows if row.state == DONE}
        self._history: list[BlockResult] | None = None
        """The cached history; None if the history has changed since it was built."""
        self.strikes: Counter[str] = Counter()
        """Strikes by entrant, over all attempts that are done."""
        for result in self._results.values():
            self._count_strikes(result)

    @property
    def rows(self) -> Sequence[BlockRow]:
        """All attempts at blocks, in order and without their results. `history` has the results that count."""
        return [self._rows[key] for key in sorted(self._rows)]

    @property
    def age_s(self) -> float:
        """Seconds since the first game began, including breaks; 0 before it."""
        return 0.0 if self._began_at is None else self._clock() - self._began_at

    @property
    def history(self) -> list[BlockResult]:
        """The results of the blocks that count, ordered by number."""
        if self._history is None:
            self._history = [self._results[number] for number in sorted(self._results) if self.is_done(number)]
        return self._history

    @property
    def game_count(self) -> int:
        """The number of games that count."""
        return sum(len(result.tables) for result in self.history)

    def count_games_of(self, name: str) -> int:
        """Return the number of finished games that count in which this entrant sat."""
        return sum(name in table.seats for result in self.history for table in result.tables)

    def find_forfeits(self, number: int) -> frozenset[str]:
        """Return the entrants that forfeited a game of a block in its latest result."""
        return frozenset().union(*(table.forfeits for table in self._results[number].tables))

    def is_done(self, number: int) -> bool:
        """Return whether a block has a result that counts."""
        result = self._results.get(number)
        return result is not None and result.attempt == self.current_attempt(number)

    def is_current(self, row: BlockRow) -> bool:
        """Return whether an attempt is not void, so that it counts or will count."""
        return row.attempt == self.current_attempt(row.number)

    def current_attempt(self, number: int) -> int:
        """Return the number of the current attempt at a block, which is the number of void attempts before it."""
        return self._void_counts[number]

    def voids_for_bots(self, number: int) -> list[VoidForBot]:
        """Return the attempts at a block that were void for a bot."""
        rows = (self._rows.get((number, attempt)) for attempt in range(self.current_attempt(number)))
        return find_voids_for_bots(self.acts, [row for row in rows if row is not None])

    def unfinished_attempt(self, number: int) -> BlockRow | None:
        """Return the current attempt at a block if it was begun and is not done."""
        row = self._rows.get((number, self.current_attempt(number)))
        return row if row is not None and row.state != DONE else None

    def unfinished_matches(self) -> Sequence[MatchId]:
        """Return the matches of all attempts that are not done."""
        return [match_id for row in self._rows.values() if row.state == OPEN for match_id in row.matches]

    @property
    def counting_attempts(self) -> dict[int, int]:
        """The attempt that counts, by block number."""
        return {result.block.number: result.attempt for result in self.history}

    def block_analytics(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the analytics of the blocks that count."""
        return read_block_analytics(self._league, self._store, self.counting_attempts)

    async def add_entry(self, kind: str, values: Mapping[str, Any]) -> LedgerEntry:
        """Store a new entry of this kind with these values, and return the entry."""
        act = await self.retry_until_stored(
            lambda: self._store.add_ledger_entry(self._league, kind, self._clock(), values)
        )
        self.acts.append(act)
        if kind == VOID:
            self._void_counts[values["block"]] += 1
            self._history = None
        return act

    async def void_attempt(self, row: BlockRow, reason: str, **more: Any) -> LedgerEntry:
        """Make an attempt void, so that its block is played again with another deal. Return the entry."""
        games = list(row.matches)
        return await self.add_entry(
            VOID, {"block": row.number, "attempt": row.attempt, "games": games, "reason": reason, **more}
        )

    async def open_attempt(self, row: BlockRow) -> None:
        """Store that an attempt begins, or that another node resumes it."""
        await self.retry_until_stored(lambda: self._store.open_block(self._league, row))
        self._rows[row.number, row.attempt] = row
        self.last_round = max(self.last_round, row.round)
        self._began_at = self._began_at or _start_time(row)

    async def end_attempt(
        self, row: BlockRow, tables: Sequence[TableResult], insight: Mapping[str, Any] | None = None
    ) -> None:
        """Store that an attempt has ended, with the results of its tables.

        The store also has these results with their matches. The block's row repeats the results for two reasons:

        * With one row, a single transaction makes a block count.
        * A league of a hundred thousand games can be opened by reading one database table. Earlier versions of the
          arena read the results from there too.

        No sealed or published hash covers the repeated results.
        """
        results = tuple(  # strikes keep the order of their kinds
            {**to_plain(table), "strikes": [dict(strikes) for strikes in table.strikes]} for table in tables
        )
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

    async def retry_until_stored(self, access: Callable[[], Awaitable[StoreResult]]) -> StoreResult:
        """Repeat a store access until it succeeds, and return its result. `paused` is set meanwhile.

        Raises StoreDamagedError and StoreLockedError without repeating the access: a row that cannot be read stays
        unreadable, and a store that another runner has taken over stays with it.
        """
        while True:
            try:
                result = await access()
            except (StoreDamagedError, StoreLockedError):
                raise
            except StoreError as error:
                if not self.paused.is_set():
                    log.error("the store cannot be written, the league pauses", fault=str(error))  # noqa: TRY400  no traceback needed
                self.paused.set()
                await asyncio.sleep(RETRY_S)
            else:
                self.paused.clear()
                return result


async def read_ledger(league: str, store: LeagueStore, clock: Callable[[], float]) -> Ledger:
    """Return the ledger of a league. `clock` returns seconds since 1970. Raises StoreError."""
    return Ledger(league, store, await store.ledger_entries(league), await store.blocks(league), clock)


async def read_block_analytics(
    league: str, store: LeagueStore, counting: Mapping[int, int]
) -> AsyncIterator[Mapping[str, Any]]:
    """Yield the analytics of the blocks that count. They are read in parts, because together they may exceed memory.

    `counting` maps each block number to the attempt that counts, as `Ledger.counting_attempts` does. Raises StoreError.
    """
    for start in range(0, max(counting, default=0) + 1, ANALYTICS_CHUNK_BLOCKS):
        found = await store.block_analytics(league, range(start, start + ANALYTICS_CHUNK_BLOCKS))
        for number, attempt in sorted(found):
            if counting.get(number) == attempt:
                yield found[number, attempt]


def find_voids_for_bots(acts: Iterable[LedgerEntry], rows: Iterable[BlockRow]) -> list[VoidForBot]:
    """Return those of these attempts that were void for a bot, if all of their games had ended."""
    voids = {(act.values["block"], act.values["attempt"]): act for act in acts if act.kind == VOID}
    found = ((row, voids.get((row.number, row.attempt))) for row in rows)
    return [(row, act) for row, act in found if act is not None and act.values.get("places")]


def block_from_row(row: BlockRow) -> Block:
    return Block(row.number, row.round, row.tables, row.label)


def block_result_from_row(row: BlockRow) -> BlockResult:
    """Return the result of a block that is done.

    Raises StoreDamagedError if it is no possible result of the block's tables, as after an edit by hand. Only `arena
    audit`, which replays the games, finds a possible result that is wrong.
    """
    try:
        tables = from_plain(row.results, tuple[TableResult, ...])
    except ValueError as error:
        raise _damaged_error(row, f"its results cannot be read: {error}") from error
    if [table.seats for table in tables] != [tuple(seats) for seats in row.tables]:
        raise _damaged_error(row, "its results are not those of its tables")
    for number, table in enumerate(tables, 1):
        if len(table.places) != len(table.seats) or not {*table.places} <= {*range(1, len(table.seats) + 1)}:
            raise _damaged_error(row, f"the places {list(table.places)} of table {number} are impossible")
        if len(table.luck) not in (0, len(table.seats)) or not all(map(isfinite, table.luck)):
            raise _damaged_error(row, f"the luck of table {number} is not a number for each seat")
    return BlockResult(block_from_row(row), tables, row.attempt)


def _damaged_error(row: BlockRow, what: str) -> StoreDamagedError:
    return StoreDamagedError(
        f"block {row.number} of the league cannot be counted: {what}; `{arena_command('audit')}` names everything in"
        " this data folder that was edited"
    )


def _start_time(row: BlockRow) -> float | None:
    """Return when an attempt began, in seconds since 1970; None if unknown."""
    return min(filter(None, map(id_time, row.matches)), default=None)
