"""One block, from its deal to its results: its tables at a node, with what another node had begun of them."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from arena.errors import UnknownNameError
from arena.hosting.begun import Begun
from arena.hosting.bench import INSTANCE
from arena.hosting.faults import worth_keeping
from arena.hosting.league_file import LeagueFile
from arena.hosting.ledger import Ledger, block_of
from arena.hosting.secret import Luck
from arena.hosting.verdict import Kept, spoilt
from arena.insight.match import insights
from arena.league.model import TableResult
from arena.league.ports import DONE, BlockRow
from arena.match.deal import DealSecret, prepare, revealed, rules_played
from arena.match.deal_values import describe_revealed, first_row
from arena.match.ports import MatchId, Signer
from arena.match.shared import SharedTable
from arena.match.terms import Terms
from arena.replays.library import time_of
from arena.runner.nodes import NodeProcess
from arena.store.opening import Store

Leave = Callable[[Sequence[str]], None]


class Tables:
    """Plays blocks of one league."""

    def __init__(self, league: LeagueFile, luck: Luck, ledger: Ledger, store: Store, signer: Signer) -> None:
        self._league = league
        self._luck = luck
        self._ledger = ledger
        self._store = store
        self._signer = signer
        self._owners = {each.name: each.owner for each in league.entrants}
        self._begun = Begun(store.journals, ledger.open_matches)

    async def play(self, row: BlockRow, node: NodeProcess, away: Collection[str], leave: Leave) -> None:
        """Play what is missing of an attempt and keep what came of it, or that it is void.

        `away`: who forfeits; `leave` is told the seats of each table whose game is over. Raises LineCutError when the
        node ends, EnvironmentFaultError where games are lost again and again.
        """
        is_new, row = not row.journals, replace(row, journals=(*row.journals, node.journal))
        await self._ledger.open(row)
        before = [None for _ in row.matches] if is_new else await self._all_kept(row)
        if await self._can_go_on(row, before):
            await self._sit(row, before, node, away, leave)
            await self._end(row, await self._all_kept(row))
        await self._ledger.until_stored(lambda: self.open_deal(row))

    async def open_deal(self, row: BlockRow) -> None:
        """Publish the deal of a block that is over or void."""
        for index, match_id in enumerate(row.matches):
            secret = self._secret(row, index)
            prepared = prepare(secret, (), self._terms(row, index), self._signer)
            await self._store.deals.reveal(match_id, describe_revealed(revealed(secret, prepared)))

    async def open_deals(self) -> None:
        """Publish those that nobody will play: of what was void before it was over, or over when its runner ended."""
        hidden = await self._store.deals.hidden_shared()
        for row in self._ledger.rows:
            is_over = row.state == DONE or not self._ledger.is_current(row)
            if is_over and not hidden.isdisjoint(row.matches):
                await self.open_deal(row)

    # ---- inside

    async def _sit(
        self, row: BlockRow, before: Sequence[Kept | None], node: NodeProcess, away: Collection[str], leave: Leave
    ) -> None:
        """Have those tables played whose end was not in the store before."""
        again, everywhere = self._ledger.until_stored, range(len(row.tables))
        await again(lambda: asyncio.gather(*(self._commit(row, index) for index in everywhere)))
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
        return await self._ledger.until_stored(lambda: asyncio.gather(*map(self._kept, row.matches)))

    async def _end(self, row: BlockRow, kept: Sequence[Kept | None]) -> None:
        fault = spoilt(row, kept, self._ledger.acts, self._owners)
        if fault is not None:
            await self._ledger.void(row, fault.reason, name=fault.name, by="host")
            return
        tables = [table for table in kept if table is not None]
        seen = [await self._seen(table) for table in tables]
        await self._ledger.end(row, list(map(_result, tables)), {"tables": seen})

    async def _seen(self, kept: Kept) -> dict[str, Any]:
        """What a game says about its bots."""
        match = kept.match
        told = await asyncio.to_thread(insights, match, kept.games[:1])
        faults = worth_keeping(match, self._ledger.strikes)
        insight = [each.plain() for each in told[0]]
        return {"match_id": match.match_id, "seats": list(match.entrants), "insight": insight, "faults": faults}

    def _terms(self, row: BlockRow, index: int) -> Terms:
        return self._league.terms_for(row.tables[index])

    def _secret(self, row: BlockRow, index: int) -> DealSecret:
        rules = rules_played(self._terms(row, index))
        return self._luck.deal(block_of(row), row.attempt, index, rules)

    def _table(self, row: BlockRow, index: int, away: Collection[str]) -> SharedTable:
        terms, secret = self._terms(row, index), self._secret(row, index)
        gone = frozenset(away).intersection(row.tables[index])
        return SharedTable(row.matches[index], terms, secret, time_of(row.matches[index]) or 0.0, INSTANCE, gone)

    async def _commit(self, row: BlockRow, index: int) -> None:
        """Fix the deal in the store's chain, once for each table: its replay has to be checked alone."""
        match_id = row.matches[index]
        if await self._store.deals.deal(match_id) is None:
            secret = self._secret(row, index)
            await self._store.deals.commit(first_row(secret, match_id, 0, row.journals[-1], time_of(match_id) or 0.0))

    async def _kept(self, match_id: MatchId) -> Kept | None:
        """What the store has of a match; None: nothing."""
        try:
            return Kept(await self._store.results.match(match_id), await self._store.results.games(match_id))
        except UnknownNameError:
            return None


async def _sat(node: NodeProcess, table: SharedTable, leave: Leave) -> None:
    await node.sit(table)
    leave(table.terms.entrants)


def _result(kept: Kept) -> TableResult:
    """What came of a table."""
    match, game = kept.match, kept.games[0]
    gone = frozenset(name for name, each in zip(match.entrants, match.strikes, strict=False) if each.get("gone"))
    return TableResult(
        match.match_id, match.entrants, game.places, game.termination, gone, match.strikes, game.turn_count
    )
