"""One block, from its deal to its results: its tables at a node, with what another node had begun of them."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from arena.hosting.begun import Begun
from arena.hosting.bench import INSTANCE
from arena.hosting.block_deals import BlockDeals
from arena.hosting.faults import worth_keeping
from arena.hosting.league_file import LeagueFile
from arena.hosting.ledger import Ledger
from arena.hosting.load import Load
from arena.hosting.verdict import MOST_SPARED, Kept, spoilt
from arena.insight.match import insights
from arena.league.model import TableResult
from arena.league.ports import BlockRow
from arena.match.shared import SharedTable
from arena.replays.library import time_of
from arena.runner.nodes import NodeProcess
from arena.store.opening import Store

Leave = Callable[[Sequence[str]], None]
Insight = Sequence[Mapping[str, Any]]


class Tables:
    """Plays blocks of one league."""

    def __init__(
        self,
        league: LeagueFile,
        ledger: Ledger,
        deals: BlockDeals,
        store: Store,
        load: Load,
        most_spared: float = MOST_SPARED,
    ) -> None:
        """`most_spared`: as `spoilt` takes it."""
        self._ledger = ledger
        self._deals = deals
        self._store = store
        self._owners = {each.name: each.owner for each in league.entrants}
        self._load = load
        self._most_spared = most_spared
        self._begun = Begun(store.journals, ledger.open_matches)

    async def play(self, row: BlockRow, node: NodeProcess, away: Collection[str], leave: Leave) -> None:
        """Play what is missing of an attempt and keep what came of it, or that it is void.

        `away`: who forfeits; `leave` is told the seats of each table whose game is over. Raises LineCutError when the
        node ends, EnvironmentFaultError where games are lost again and again.
        """
        is_new, row = not row.journals, replace(row, journals=(*row.journals, node.journal))
        await self._ledger.open(row)
        number = self._load.begin()
        before = [None for _ in row.matches] if is_new else await self._all_kept(row)
        if await self._can_go_on(row, before):
            await self._sit(row, before, node, away, leave)
            kept = await self._all_kept(row)
            self._learn(kept, number)
            await self._end(row, kept)
        await self._ledger.until_stored(lambda: self._deals.open(row))

    # ---- inside

    async def _sit(
        self, row: BlockRow, before: Sequence[Kept | None], node: NodeProcess, away: Collection[str], leave: Leave
    ) -> None:
        """Have those tables played whose end was not in the store before."""
        again, everywhere = self._ledger.until_stored, range(len(row.tables))
        await again(lambda: asyncio.gather(*(self._deals.commit(row, index) for index in everywhere)))
        left = [index for index, table in enumerate(before) if table is None or not table.is_over]
        begun = await self._begun.of(row)
        tables = [replace(self._table(row, index, away), records=begun.get(row.matches[index], ())) for index in left]
        for outcome in await asyncio.gather(*(_sat(node, table, leave) for table in tables), return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def _can_go_on(self, row: BlockRow, before: Sequence[Kept | None]) -> bool:
        """Whether all that had begun of a block is there to go on with; else it is void."""
        begun = await self._begun.of(row)
        for match_id, table in zip(row.matches, before, strict=True):
            if table is not None and not table.is_over and not begun.get(match_id):
                await self._ledger.void(row, f"the journal of game {match_id} is lost", by="host")
                return False
        return True

    async def _all_kept(self, row: BlockRow) -> Sequence[Kept | None]:
        """What the store has of its tables."""
        found = await self._ledger.until_stored(lambda: self._store.results.with_games(row.matches))
        return [Kept(*found[match_id]) if match_id in found else None for match_id in row.matches]

    async def _end(self, row: BlockRow, kept: Sequence[Kept | None]) -> None:
        fault = spoilt(row, kept, self._ledger.acts, self._owners, self._most_spared)
        if fault is not None:
            await self._ledger.void(row, fault.reason, name=fault.name, by="host")
            return
        tables = [table for table in kept if table is not None]
        told = await asyncio.to_thread(_insights, tables)
        seen = list(map(self._seen, tables, told))
        await self._ledger.end(row, list(map(_result, tables)), {"tables": seen})

    def _learn(self, kept: Sequence[Kept | None], number: int) -> None:
        """See how near to its deadlines everybody came."""
        for match in (table.match for table in kept if table is not None):
            for name, figures, strikes in zip(match.entrants, match.statistics, match.strikes, strict=False):
                is_late = strikes["late"] + strikes["missing"] > 0
                self._load.learn(name, inf if is_late else figures["slowest_share"], number)

    def _seen(self, kept: Kept, insight: Insight) -> dict[str, Any]:
        """What a game says about its bots."""
        match = kept.match
        faults = worth_keeping(match, self._ledger.strikes)
        return {"match_id": match.match_id, "seats": list(match.entrants), "insight": insight, "faults": faults}

    def _table(self, row: BlockRow, index: int, away: Collection[str]) -> SharedTable:
        terms, secret = self._deals.terms(row, index), self._deals.secret(row, index)
        gone = frozenset(away).intersection(row.tables[index])
        return SharedTable(row.matches[index], terms, secret, time_of(row.matches[index]) or 0.0, INSTANCE, gone)


async def _sat(node: NodeProcess, table: SharedTable, leave: Leave) -> None:
    await node.sit(table)
    leave(table.terms.entrants)


def _insights(tables: Sequence[Kept]) -> list[Insight]:
    """Work out what each game tells of its seats, as plain values; this takes some milliseconds."""
    return [[each.plain() for each in insights(table.match, table.games[:1])[0]] for table in tables]


def _result(kept: Kept) -> TableResult:
    """What came of a table."""
    match, game = kept.match, kept.games[0]
    gone = frozenset(name for name, each in zip(match.entrants, match.strikes, strict=False) if each.get("gone"))
    return TableResult(
        match.match_id, match.entrants, game.places, game.termination, gone, match.strikes, game.turn_count
    )
