"""One block, from its deal to its results: its tables at a node, with what another node had begun of them."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from arena.analytics.match_analytics import analyze_match
from arena.games.catalogue import pack_of
from arena.hosting.file.league_file import LeagueFile
from arena.hosting.play.block_deals import BlockDeals
from arena.hosting.play.bot_pool import LEAGUE_INSTANCE
from arena.hosting.play.concurrency_limiter import ConcurrencyLimiter
from arena.hosting.play.fault_records import select_faults_to_keep
from arena.hosting.play.resumable import ResumableRecords
from arena.hosting.play.void_check import MAX_SPARED_BLOCKS, StoredMatch, why_void
from arena.hosting.seal.ledger import Ledger
from arena.league.model import TableResult
from arena.league.ports import BlockRow
from arena.node.shared_table import SharedTable
from arena.replays.library import ulid_time
from arena.runner.node_process import NodeProcess
from arena.store.open_store import Store

ReleaseTable = Callable[[Sequence[str]], None]
TableAnalytics = Sequence[Mapping[str, Any]]


class BlockRunner:
    """Plays blocks of one league."""

    def __init__(
        self,
        league: LeagueFile,
        ledger: Ledger,
        deals: BlockDeals,
        store: Store,
        load: ConcurrencyLimiter,
        most_spared: float = MAX_SPARED_BLOCKS,
    ) -> None:
        """`max_spared`: as `spoilt` takes it."""
        self._ledger = ledger
        self._deals = deals
        self._store = store
        self._owners = {each.name: each.owner for each in league.entrants}
        self._load = load
        self._most_spared = most_spared
        self._begun = ResumableRecords(store.journals_folder, ledger.unfinished_matches)

    async def play(self, row: BlockRow, node: NodeProcess, away: Collection[str], leave: ReleaseTable) -> None:
        """Play what is missing of an attempt and keep what came of it, or that it is void.

        `away`: who forfeits; `leave` is told the seats of each table whose game is over. Raises LineCutError when the
        node ends, EnvironmentFaultError where games are lost again and again.
        """
        is_new, row = not row.journals, replace(row, journals=(*row.journals, node.journal))
        await self._ledger.open_attempt(row)
        number = self._load.begin_games()
        before = [None for _ in row.matches] if is_new else await self._read_stored(row)
        if await self._can_resume(row, before):
            await self._play_tables(row, before, node, away, leave)
            kept = await self._read_stored(row)
            self._update_limits(kept, number)
            await self._end_or_void(row, kept)
        await self._ledger.retry_until_stored(lambda: self._deals.reveal(row))

    # ---- inside

    async def _play_tables(
        self,
        row: BlockRow,
        before: Sequence[StoredMatch | None],
        node: NodeProcess,
        away: Collection[str],
        leave: ReleaseTable,
    ) -> None:
        """Have those tables played whose end was not in the store before."""
        again, everywhere = self._ledger.retry_until_stored, range(len(row.tables))
        await again(lambda: asyncio.gather(*(self._deals.commit(row, index) for index in everywhere)))
        left = [index for index, table in enumerate(before) if table is None or not table.is_over]
        begun = await self._begun.records_for(row)
        tables = [
            replace(self._shared_table(row, index, away), records=begun.get(row.matches[index], ())) for index in left
        ]
        for outcome in await asyncio.gather(
            *(_play_table(node, table, leave) for table in tables), return_exceptions=True
        ):
            if isinstance(outcome, BaseException):
                raise outcome

    async def _can_resume(self, row: BlockRow, before: Sequence[StoredMatch | None]) -> bool:
        """Whether all that had begun of a block is there to go on with; else it is void."""
        begun = await self._begun.records_for(row)
        for match_id, table in zip(row.matches, before, strict=True):
            if table is not None and not table.is_over and not begun.get(match_id):
                await self._ledger.void_attempt(row, f"the journal of game {match_id} is lost", by="host")
                return False
        return True

    async def _read_stored(self, row: BlockRow) -> Sequence[StoredMatch | None]:
        """What the store has of its tables."""
        found = await self._ledger.retry_until_stored(lambda: self._store.results.matches_with_games(row.matches))
        return [StoredMatch(*found[match_id]) if match_id in found else None for match_id in row.matches]

    async def _end_or_void(self, row: BlockRow, kept: Sequence[StoredMatch | None]) -> None:
        fault = why_void(row, kept, self._ledger.acts, self._owners, self._most_spared)
        if fault is not None:
            await self._ledger.void_attempt(row, fault.reason, name=fault.name, by="host")
            return
        tables = [table for table in kept if table is not None]
        told = await asyncio.to_thread(_compute_analytics, tables)
        seen = list(map(self._table_summary, tables, told))
        await self._ledger.end_attempt(row, list(map(_table_result, tables)), {"tables": seen})

    def _update_limits(self, kept: Sequence[StoredMatch | None], number: int) -> None:
        """See how near to its deadlines everybody came."""
        for match in (table.match for table in kept if table is not None):
            for name, figures, strikes in zip(match.entrants, match.statistics, match.strikes, strict=False):
                is_late = strikes["late"] + strikes["missing"] > 0
                self._load.record_game(name, inf if is_late else figures["slowest_share"], number)

    def _table_summary(self, kept: StoredMatch, insight: TableAnalytics) -> dict[str, Any]:
        """What a game says about its bots."""
        match = kept.match
        faults = select_faults_to_keep(match, self._ledger.strikes)
        return {"match_id": match.match_id, "seats": list(match.entrants), "insight": insight, "faults": faults}

    def _shared_table(self, row: BlockRow, index: int, away: Collection[str]) -> SharedTable:
        terms, secret = self._deals.terms(row, index), self._deals.secret(row, index)
        gone = frozenset(away).intersection(row.tables[index])
        return SharedTable(
            row.matches[index], terms, secret, ulid_time(row.matches[index]) or 0.0, LEAGUE_INSTANCE, gone
        )


async def _play_table(node: NodeProcess, table: SharedTable, leave: ReleaseTable) -> None:
    await node.play_shared_table(table)
    leave(table.terms.entrants)


def _compute_analytics(tables: Sequence[StoredMatch]) -> list[TableAnalytics]:
    """Work out what each game tells of its seats, as plain values; this takes some milliseconds."""
    found: list[TableAnalytics] = []
    for table in tables:
        analytics = pack_of(table.match.game).load_analytics()
        (seats,) = analyze_match(table.match, table.games[:1], analytics.build_analyzer)
        found.append([each.to_plain() for each in seats])
    return found


def _table_result(kept: StoredMatch) -> TableResult:
    """What came of a table."""
    match, game = kept.match, kept.games[0]
    gone = frozenset(name for name, each in zip(match.entrants, match.strikes, strict=False) if each.get("gone"))
    return TableResult(
        match.match_id, match.entrants, game.places, game.termination, gone, match.strikes, game.turn_count
    )
