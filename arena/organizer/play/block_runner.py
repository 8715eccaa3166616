"""Plays a block, from its deal to its results. It also resumes tables that another node began."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from arena.competition.league.judgement import Judgement
from arena.competition.league.ports import BlockRow
from arena.fleet.runner.table_node import TableNode
from arena.ids import id_time
from arena.match.referee.ports import MatchId
from arena.match.referee.sealed_results import open_results
from arena.organizer.file.league_file import SealedLeague
from arena.organizer.play.attendance import has_absence
from arena.organizer.play.block_deals import BlockDeals
from arena.organizer.play.block_results import (
    compute_analytics,
    hand_luck,
    lower_result,
    select_faults_to_keep,
    table_result_of,
)
from arena.organizer.play.concurrency_limiter import ConcurrencyLimiter
from arena.organizer.play.node_bots import LEAGUE_INSTANCE
from arena.organizer.play.void_check import StoredMatch, why_void
from arena.organizer.seal.ledger import Ledger
from arena.replays.library.journals import JournalReader, journaled_matches, read_match_records
from arena.server.node.deals import SharedTable
from arena.server.store.open_store import Store

ReleaseTable = Callable[[Sequence[str]], None]


class BlockRunner:
    def __init__(
        self,
        league: SealedLeague,
        ledger: Ledger,
        deals: BlockDeals,
        store: Store,
        limiter: ConcurrencyLimiter,
        max_spared: float,
        *,
        is_dated: bool,
        judgement: Judgement,
    ) -> None:
        """`max_spared` is the limit that `why_void` takes; `is_dated` says whether the league has dates."""
        self._judgement = judgement
        self._is_dated = is_dated
        self._ledger = ledger
        self._deals = deals
        self._store = store
        self._owners = {each.name: each.owner for each in league.entrants}
        self._limiter = limiter
        self._max_spared = max_spared
        self._resumable = ResumableRecords(store.journals_folder, ledger.unfinished_matches)

    async def play(
        self,
        row: BlockRow,
        node: TableNode,
        away: Collection[str],
        release_table: ReleaseTable,
        *,
        needs_everybody: bool,
    ) -> None:
        """Play the unfinished tables of an attempt. Record the attempt's results, or record that it is void.

        `away` has the bots that forfeit. `release_table` is called with the entrants of each table that has ended. If
        `needs_everybody` and a bot that is not away is missing, no table begins. Then NotConnectedError is raised, and
        the method may be called again. Raises LineCutError if the node ends, EnvironmentFaultError if games are lost
        repeatedly.
        """
        is_new, was_here = not row.journals, row.journals[-1:] == (node.journal,)
        if not was_here:
            row = replace(row, journals=(*row.journals, node.journal))
        await self._ledger.open_attempt(row)
        # A table may have gone on here without its league. Asked before the store is read: it may end at any moment.
        playing = await node.calls.open_tables(row.matches) if was_here else ()
        number = self._limiter.begin_games()
        before = [None for _ in row.matches] if is_new else await self._read_stored(row)
        records = await self._resumable.records_for(row)
        lost = [
            match_id
            for match_id, table in zip(row.matches, before, strict=True)
            if table is not None and not table.is_over and not records.get(match_id) and match_id not in playing
        ]
        if lost:
            await self._wait_for_tables(row, playing, node)
            await self._ledger.void_attempt(row, f"the journal of game {lost[0]} is lost", by="host")
        else:
            tables = [
                replace(table, needs_everybody=needs_everybody and not table.records)
                for table in (self._shared_table(row, index, away, records) for index in range(len(row.tables)))
            ]
            stored = await self._play_tables(row, tables, before, node, release_table)
            self._update_limits(stored, number)
            await self._end_or_void(row, stored)
        await self._ledger.retry_until_stored(lambda: self._deals.reveal(row))

    # ---- inside

    async def _read_stored(self, row: BlockRow) -> Sequence[StoredMatch | None]:
        """Return the stored match of each table of an attempt; None for a table whose match is not stored."""
        found = await self._ledger.retry_until_stored(lambda: self._store.results.matches_with_games(row.matches))
        return [StoredMatch(*found[match_id]) if match_id in found else None for match_id in row.matches]

    async def _wait_for_tables(self, row: BlockRow, playing: Collection[MatchId], node: TableNode) -> None:
        """Return when the tables that go on are over: the deals of a void attempt are revealed. Raises LineCutError."""
        for index in (index for index, match_id in enumerate(row.matches) if match_id in playing):
            await node.play_shared_table(self._shared_table(row, index, (), {}))

    def _shared_table(
        self, row: BlockRow, index: int, away: Collection[str], records: Mapping[MatchId, Sequence[bytes]]
    ) -> SharedTable:
        match_id = row.matches[index]
        return SharedTable(
            match_id=match_id,
            terms=self._deals.terms(row, index),
            secret=self._deals.secret(row, index),
            created_at=id_time(match_id) or 0.0,
            instance=LEAGUE_INSTANCE,
            away=frozenset(away).intersection(row.tables[index]),
            records=records.get(match_id, ()),
        )

    async def _play_tables(
        self,
        row: BlockRow,
        tables: Sequence[SharedTable],
        before: Sequence[StoredMatch | None],
        node: TableNode,
        release_table: ReleaseTable,
    ) -> Sequence[StoredMatch | None]:
        """Play the tables that had not ended before.

        Return the stored match of each table, without its seals; None for a match that was lost.
        """

        async def play_table(table: SharedTable, stored: StoredMatch | None) -> StoredMatch | None:
            rows = None if stored is None else (stored.match, stored.games)
            if stored is None or not stored.is_over:
                rows = await node.play_shared_table(table)
                release_table(table.terms.entrants)
            return None if rows is None else StoredMatch(*open_results(*rows, table.secret.seed))

        await self._ledger.retry_until_stored(
            lambda: asyncio.gather(*(self._deals.commit(row, index) for index in range(len(tables))))
        )
        playing = (play_table(table, stored) for table, stored in zip(tables, before, strict=True))
        outcomes = await asyncio.gather(*playing, return_exceptions=True)  # wait for all, so that none plays on alone
        matches = list[StoredMatch | None]()
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            matches.append(outcome)
        return matches

    async def _end_or_void(self, row: BlockRow, matches: Sequence[StoredMatch | None]) -> None:
        """Record the results of an attempt whose tables have all ended, or record that the attempt is void."""
        void = why_void(row, matches, self._ledger.acts, self._owners, self._max_spared)
        was_awaited = self._is_dated or has_absence(self._ledger.acts, row)
        tables = [table for table in matches if table is not None and table.games]
        if void is not None:
            places = [list(table_result_of(table, was_awaited=was_awaited).places) for table in tables]
            kept = {"places": places} if void.name and len(places) == len(row.tables) else {}
            await self._ledger.void_attempt(row, void.reason, name=void.name, by="host", **kept)
            return
        insights = await asyncio.to_thread(compute_analytics, tables)
        summaries = [
            {
                "match_id": table.match.match_id,
                "seats": list(table.match.entrants),
                "insight": insight,
                "faults": select_faults_to_keep(table.match, self._ledger.strikes),
            }
            for table, insight in zip(tables, insights, strict=True)
        ]
        voids = self._ledger.voids_for_bots(row.number) if self._judgement.lowers_results else ()
        results = [
            lower_result(replace(table_result_of(table, was_awaited=was_awaited), luck=hand_luck(insight)), voids)
            for table, insight in zip(tables, insights, strict=True)
        ]
        await self._ledger.end_attempt(row, results, {"tables": summaries})

    def _update_limits(self, matches: Sequence[StoredMatch | None], number: int) -> None:
        """Tell the limiter how close each bot came to its deadlines."""
        for match in (table.match for table in matches if table is not None):
            for name, figures, strikes in zip(match.entrants, match.statistics, match.strikes, strict=False):
                is_late = strikes["late"] + strikes["missing"] > 0
                self._limiter.record_game(name, inf if is_late else figures["slowest_share"], number)


MatchRecords = Mapping[MatchId, Sequence[bytes]]


class ResumableRecords:
    """Reads the records of one league's unfinished matches from the journals of nodes that have ended.

    Each journal is read only once for all blocks, because it may have many gigabytes and only a few games are needed.
    """

    def __init__(self, journals: Path, unfinished_matches: Callable[[], Collection[MatchId]]) -> None:
        """`unfinished_matches` returns the matches of all blocks that are not done."""
        self._folder = journals
        self._unfinished_matches = unfinished_matches
        self._read: dict[str, asyncio.Task[MatchRecords]] = {}

    async def records_for(self, row: BlockRow) -> MatchRecords:
        """Return the records of a block's matches, from all its journals but the newest.

        If several journals have records of a match, the longest are returned.
        """
        found: dict[MatchId, Sequence[bytes]] = {}
        for name in row.journals[:-1]:  # no node writes to these any more
            if name not in self._read:
                reading = asyncio.to_thread(
                    _read_unfinished, self._folder / name, frozenset(self._unfinished_matches())
                )
                self._read[name] = asyncio.create_task(reading)
            records = await asyncio.shield(self._read[name])
            for match_id in row.matches:
                found[match_id] = max(found.get(match_id, ()), records.get(match_id, ()), key=len)
        return found


def _read_unfinished(path: Path, wanted: Collection[MatchId]) -> MatchRecords:
    """Return the records of the wanted matches that began in a journal. A part that cannot be read is left out."""
    ids = {begun.number: begun.match_id for begun in journaled_matches(JournalReader(path)) if begun.match_id in wanted}
    return {ids[number]: records for number, records in read_match_records(JournalReader(path), ids).items()}
