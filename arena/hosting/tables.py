"""One block, from its deal to its results: its tables at a node, and what another node had begun of them."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.errors import JournalError, UnknownNameError
from arena.hosting.bench import Bench
from arena.hosting.faults import Explained
from arena.hosting.league_file import LeagueFile
from arena.hosting.ledger import Ledger, block_of
from arena.hosting.secret import Luck
from arena.insight.match import insights
from arena.league.model import TableResult
from arena.league.ports import BlockRow
from arena.match.archive import by_match
from arena.match.deal import DealSecret, prepare, revealed, rules_played
from arena.match.deal_values import describe_revealed, first_row
from arena.match.inputs import read
from arena.match.ports import GameRow, MatchId, MatchRow, Signer
from arena.match.shared import SharedTable, is_begun
from arena.match.terms import Terms
from arena.store.journal_file import read_records
from arena.store.opening import Store


class Tables:
    """Plays blocks of one league."""

    def __init__(self, league: LeagueFile, luck: Luck, ledger: Ledger, store: Store, signer: Signer) -> None:
        self._league = league
        self._luck = luck
        self._ledger = ledger
        self._store = store
        self._signer = signer
        self._explained = Explained(ledger)

    async def play(self, row: BlockRow, bench: Bench, away: Collection[str]) -> None:
        """Play what is missing of an attempt, and keep what came of it. Raises LineCutError when the node ends.

        `away`: who forfeits.
        """
        row = replace(row, journals=(*row.journals, bench.node.journal))
        await self._ledger.open(row)
        tables = [self._table(row, index, away) for index in range(len(row.tables))]
        again = self._ledger.until_stored
        await again(lambda: asyncio.gather(*(self._commit(row, index) for index in range(len(row.tables)))))
        rows = await again(lambda: asyncio.gather(*(self._row_of(table.match_id) for table in tables)))
        left = [table for table, known in zip(tables, rows, strict=True) if known is None or known.state != "ended"]
        records = await asyncio.to_thread(self._begun, row) if len(row.journals) > 1 else {}
        resumed = [replace(table, records=tuple(records.get(table.match_id, ()))) for table in left]
        outcomes = await asyncio.gather(*map(bench.node.sit, resumed), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        results, seen = await again(lambda: self._results(row))
        await self._ledger.end(row, results, {"tables": seen})
        await again(lambda: self.open_deal(row))

    async def open_deal(self, row: BlockRow) -> None:
        """Publish the deal of a block that is over or void."""
        for index, match_id in enumerate(row.matches):
            secret = self._secret(row, index)
            prepared = prepare(secret, (), self._terms(row, index), self._signer)
            await self._store.deals.reveal(match_id, describe_revealed(revealed(secret, prepared)))

    async def hidden(self) -> frozenset[MatchId]:
        """The matches, of any league in the store, whose deals are not opened."""
        return await self._store.deals.hidden_shared()

    # ---- inside

    async def _results(self, row: BlockRow) -> tuple[list[TableResult], list[dict[str, Any]]]:
        """What came of a block that is over, and what its games say about the bots."""
        results, seen = list[TableResult](), list[dict[str, Any]]()
        for match_id, seats in zip(row.matches, row.tables, strict=True):
            match, games = await self._row_of(match_id), await self._store.results.games(match_id)
            results.append(_result(match_id, seats, match, games))
            if match is not None and games:
                told = await asyncio.to_thread(insights, match, games[:1])
                faults = self._explained.worth_keeping(match)
                insight = [each.plain() for each in told[0]]
                seen.append({"match_id": match_id, "seats": list(seats), "insight": insight, "faults": faults})
        return results, seen

    def _terms(self, row: BlockRow, index: int) -> Terms:
        return self._league.terms_for(row.tables[index])

    def _secret(self, row: BlockRow, index: int) -> DealSecret:
        rules = rules_played(self._terms(row, index))
        return self._luck.deal(block_of(row), row.attempt, index, rules)

    def _table(self, row: BlockRow, index: int, away: Collection[str]) -> SharedTable:
        terms, secret = self._terms(row, index), self._secret(row, index)
        gone = frozenset(away).intersection(row.tables[index])
        return SharedTable(row.matches[index], terms, secret, _made_at(row.matches[index]), gone)

    async def _commit(self, row: BlockRow, index: int) -> None:
        """Fix the deal in the store's chain, once for each table: its replay has to be checked alone."""
        match_id = row.matches[index]
        if await self._store.deals.deal(match_id) is None:
            secret = self._secret(row, index)
            await self._store.deals.commit(first_row(secret, match_id, 0, row.journals[-1], _made_at(match_id)))

    async def _row_of(self, match_id: MatchId) -> MatchRow | None:
        try:
            return await self._store.results.match(match_id)
        except UnknownNameError:
            return None

    def _begun(self, row: BlockRow) -> Mapping[str, Sequence[bytes]]:
        """What nodes before have recorded of an attempt, by match; of several records the longest goes furthest."""
        found: dict[str, Sequence[bytes]] = {}
        for name in row.journals[:-1]:
            for match_id, records in _begun_in(self._store.journals / name, row.matches).items():
                found[match_id] = max(found.get(match_id, ()), records, key=len)
        return found


def _result(match_id: MatchId, seats: tuple[str, ...], row: MatchRow | None, games: Sequence[GameRow]) -> TableResult:
    """What came of a table; of one without a game, as only a fault of ours leaves it, nobody has anything."""
    strikes = () if row is None else row.strikes
    gone = frozenset(name for name, each in zip(seats, strikes, strict=False) if each.get("gone"))
    if not games:
        return TableResult(match_id, seats, (1,) * len(seats), "void", frozenset(seats), strikes)
    game = games[0]
    return TableResult(match_id, seats, game.places, game.termination, gone, strikes, game.turn_count)


def _begun_in(path: Path, wanted: Collection[MatchId]) -> Mapping[str, Sequence[bytes]]:
    """The records of some matches that a journal has the beginning of."""
    records: list[bytes] = []
    with suppress(JournalError, OSError):  # what can be read of it counts
        records.extend(read_records(path))
    found: dict[str, Sequence[bytes]] = {}
    for each in by_match(records).values():
        begin = read(each[1]).begin if is_begun(each) and len(each) > 1 else None
        if begin is not None and begin["match_id"] in wanted:
            found[begin["match_id"]] = each
    return found


def _made_at(match_id: str) -> float:
    """When an id was made, seconds since 1970."""
    number = 0
    for character in match_id[:10]:
        number = number << 5 | "0123456789ABCDEFGHJKMNPQRSTVWXYZ".index(character)
    return number / 1000
