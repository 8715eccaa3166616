"""Stores matches as they begin and end, through one queue with one writer.

The results of a match are recorded while it is played. A failed write is retried until it succeeds; nothing is dropped
meanwhile. Only the results of a match that has moved on are dropped, and those of a server whose store another one has
taken over: they are for the new writer to store.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NamedTuple

from arena.errors import MatchMovedError, StoreError, StoreLockedError
from arena.log_lines import get_logger
from arena.match.referee.deal_serialization import describe_revealed_deal
from arena.match.referee.facts import DealRevealed
from arena.match.referee.match_record import MatchRecord, new_match_row
from arena.match.referee.ports import DealStore, MatchId, MatchRow, ResultStore
from arena.match.referee.sealed_results import seal_record
from arena.server.node.hosted_match import HostedMatch, MatchStage

log = get_logger(__name__)

RETRY_S = 0.5
GAMES_PER_WRITE = 100
"""The most games in one write. Each write delays the writes behind it; a hundred games take a millisecond or two."""


class _MatchEnd(NamedTuple):
    record: MatchRecord
    deal: DealRevealed | None
    """None for a shared deal, which its creator reveals."""


class ResultWriter:
    """Implements `MatchObserver`. Run `run` as a task."""

    def __init__(self, results: ResultStore, journal: str, deals: DealStore | None = None) -> None:
        """`journal` is the file name of the node's journal. Without `deals` no deals are revealed."""
        self._results = results
        self._deals = deals
        self._journal = journal
        self._queue: asyncio.Queue[tuple[MatchRow, _MatchEnd | None]] = asyncio.Queue()
        self._ended = asyncio.Event()
        """Set when `run` has ended."""
        self._pending: dict[MatchId, asyncio.Future[None]] = {}
        self._rows: dict[MatchId, MatchRow] = {}
        self._moved: set[MatchId] = set()
        """The matches that began on another node and whose move is not stored yet."""
        self._is_away = False
        """Whether the store could not be written lately, which one log line tells."""

    def expect(self, match_id: MatchId) -> None:
        """Register a new match; from now on `wait_until_stored` waits for its end."""
        self._pending.setdefault(match_id, asyncio.get_running_loop().create_future())

    def release(self, match_id: MatchId) -> None:
        """Stop expecting a match that will not end here, so that nobody waits for it."""
        self._pending.pop(match_id).set_result(None)

    def on_match_started(self, hosted: HostedMatch) -> None:
        row = new_match_row(hosted.match_id, hosted.number, hosted.terms, self._journal, hosted.created_at)
        self._rows[hosted.match_id] = row
        log.info("match began", match=hosted.match_id, number=hosted.number, entrants=hosted.terms.entrants)
        self.expect(hosted.match_id)
        if hosted.is_resumed:
            self._moved.add(hosted.match_id)
        self._queue.put_nowait((row, None))

    def on_match_ended(self, hosted: HostedMatch) -> None:
        """Queue the end of a match. A match that never began has no records, only a termination."""
        if hosted.match_id not in self._rows:
            self.on_match_started(hosted)
        row = self._rows.pop(hosted.match_id)
        log.info("match ended", match=hosted.match_id, number=hosted.number, termination=_termination_of(hosted))
        record, secret = _build_record(row, hosted), hosted.deal.secret
        end = (
            _MatchEnd(seal_record(record, secret.seed), None)
            if secret.is_shared
            else _MatchEnd(record, hosted.deal.reveal())
        )
        self._queue.put_nowait((row, end))

    async def wait_until_stored(self, match_id: MatchId) -> None:
        """Return when a match has ended and its results are stored.

        Raises StoreLockedError if they never will be, because another server has taken over the store.
        """
        pending = self._pending.get(match_id)
        if pending is not None:
            await asyncio.shield(pending)

    async def drain(self) -> None:
        """Return when everything queued so far is stored, or when `run` has failed and stores nothing more."""
        waits = {asyncio.ensure_future(self._queue.join()), asyncio.ensure_future(self._ended.wait())}
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def run(self, wait_until_recorded: Callable[[], Awaitable[None]] | None = None) -> None:
        """Store what is queued, first all starts and then all ends, so that concurrent writes share transactions.

        `wait_until_recorded` returns when the journal has everything that has happened. Without this
        function, the end of a match does not wait for the journal. Then, after a kill, the next server could take up a
        match whose cards are revealed.
        """
        try:
            while True:
                await self._store_batch(wait_until_recorded)
        finally:
            self._ended.set()

    async def _store_batch(self, wait_until_recorded: Callable[[], Awaitable[None]] | None) -> None:
        """Wait for something in the queue, and store all that is in it."""
        queued = [await self._queue.get()]
        while not self._queue.empty():
            queued.append(self._queue.get_nowait())
        await asyncio.gather(*(self._store_with_retries(row, None) for row, end in queued if end is None))
        if wait_until_recorded is not None and any(end is not None for _, end in queued):
            await wait_until_recorded()
        await asyncio.gather(*(self._store_with_retries(row, end) for row, end in queued if end is not None))
        for _ in queued:
            self._queue.task_done()

    async def _store_with_retries(self, row: MatchRow, end: "_MatchEnd | None") -> None:
        """Store the start of a match, or its end, and try again until the store can be written.

        The end of a match that goes on elsewhere is dropped.
        """
        while True:
            try:
                await (self._store_start(row) if end is None else self._store_end(row, end))
            except MatchMovedError as error:
                log.warning("result dropped", match=row.match_id, fault=str(error))
                self.release(row.match_id)
                return
            except StoreLockedError as error:
                if end is not None:
                    log.warning("result dropped", match=row.match_id, fault=str(error))
                    self._refuse(row.match_id, error)
                return
            except StoreError as error:
                if not self._is_away:
                    log.warning("store cannot be written, trying again", match=row.match_id, fault=str(error))
                self._is_away = True
                await asyncio.sleep(RETRY_S)
            else:
                self._is_away = False
                return

    def _refuse(self, match_id: MatchId, error: StoreLockedError) -> None:
        pending = self._pending.pop(match_id)
        pending.set_exception(error)
        pending.exception()  # marks it as retrieved, because nobody may wait

    async def _store_start(self, row: MatchRow) -> None:
        if row.match_id in self._moved:
            await self._results.move_matches([row])
            self._moved.discard(row.match_id)
        else:
            await self._results.add_match(row)

    async def _store_end(self, row: MatchRow, end: "_MatchEnd") -> None:
        """Store the end of a match and release those who wait for it.

        Its deal is stored first, so that every match stored as ended can be verified.
        """
        if self._deals is not None and end.deal is not None:
            await self._deals.reveal(row.match_id, describe_revealed_deal(end.deal), self._journal)
        games = end.record.games
        for first in range(0, len(games), GAMES_PER_WRITE):
            await self._results.add_games(row, games[first : first + GAMES_PER_WRITE])
        await self._results.end_match(end.record.match)
        self.release(row.match_id)


def _build_record(row: MatchRow, hosted: HostedMatch) -> MatchRecord:
    """Return the record of a match: only its termination if it never began, is not recorded or cannot be read."""
    recorder = hosted.table.recorder
    if recorder is None or hosted.stage is MatchStage.DROPPED:
        return MatchRecord(replace(row, state="ended", termination=_termination_of(hosted)), ())
    try:
        return recorder.build_record(row, hosted.table.referee)
    except Exception:  # an internal error in one match must not affect the others; its journal remains
        log.exception("the record of a match could not be built", match=row.match_id)
        return MatchRecord(replace(row, state="ended", termination="unreadable"), ())


def _termination_of(hosted: HostedMatch) -> str:
    ended = hosted.table.referee.ended
    return "cancelled" if ended is None else ended.termination
