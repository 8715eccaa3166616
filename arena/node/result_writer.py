"""Stores matches as they begin and end: one queue, one writer, each match's results in one transaction.

What is stored of a match was written down while it was played. A store that cannot be written is tried again until it
can; nothing is dropped meanwhile.
"""

import asyncio
from dataclasses import replace
from typing import NamedTuple

import structlog

from arena.errors import StoreError
from arena.match.deal_serialization import describe_revealed_deal
from arena.match.facts import DealRevealed
from arena.match.match_record import MatchRecord, new_match_row
from arena.match.ports import DealStore, MatchId, MatchRow, ResultStore
from arena.node.hosted_match import HostedMatch

log = structlog.get_logger(__name__)

RETRY_S = 0.5
GAMES_PER_WRITE = 100
"""A write holds up whatever waits behind it; a hundred games are some hundred kilobytes, a millisecond or two."""


class _MatchEnd(NamedTuple):
    """What a match that is over leaves behind."""

    record: MatchRecord
    deal: DealRevealed | None
    """None: it is shared, and whoever made it opens it."""


class ResultWriter:
    """Keeps what a hall's matches leave behind. Run `work` as a task."""

    def __init__(self, results: ResultStore, journal: str, deals: DealStore | None = None) -> None:
        """`journal` names the file that the node writes. Without `deals` none are kept."""
        self._results = results
        self._deals = deals
        self._journal = journal
        self._queue: asyncio.Queue[tuple[MatchRow, _MatchEnd | None]] = asyncio.Queue()
        self._pending: dict[MatchId, asyncio.Event] = {}
        self._rows: dict[MatchId, MatchRow] = {}
        self._moved: set[MatchId] = set()
        """Those that began on another node, until that is stored."""

    def expect(self, match_id: MatchId) -> None:
        """A match is made; `kept` waits for its end from now on."""
        self._pending.setdefault(match_id, asyncio.Event())

    def on_match_started(self, booking: HostedMatch) -> None:
        """A match has begun."""
        row = new_match_row(booking.match_id, booking.number, booking.terms, self._journal, booking.created_at)
        self._rows[booking.match_id] = row
        log.info("match began", match=booking.match_id, number=booking.number, entrants=booking.terms.entrants)
        self.expect(booking.match_id)
        if booking.is_resumed:
            self._moved.add(booking.match_id)
        self._queue.put_nowait((row, None))

    def on_match_ended(self, booking: HostedMatch) -> None:
        """A match is over. One that never began leaves no records, only how it ended."""
        if booking.match_id not in self._rows:
            self.on_match_started(booking)
        row = self._rows.pop(booking.match_id)
        log.info("match ended", match=booking.match_id, number=booking.number, termination=_termination_of(booking))
        deal = None if booking.deal.secret.is_shared else booking.deal.reveal()
        self._queue.put_nowait((row, _MatchEnd(_build_record(row, booking), deal)))

    async def wait_until_stored(self, match_id: MatchId) -> None:
        """Return when a match is over and its results are kept."""
        pending = self._pending.get(match_id)
        if pending is not None:
            await pending.wait()

    async def drain(self) -> None:
        """Return when everything so far is kept."""
        await self._queue.join()

    async def run(self) -> None:
        """Store what comes: what has begun together, then what has ended together, so that transactions are shared."""
        while True:
            found = [await self._queue.get()]
            while not self._queue.empty():
                found.append(self._queue.get_nowait())
            await asyncio.gather(*(self._store_with_retries(row, None) for row, end in found if end is None))
            await asyncio.gather(*(self._store_end_and_notify(row, end) for row, end in found if end is not None))
            for _ in found:
                self._queue.task_done()

    async def _store_end_and_notify(self, row: MatchRow, end: "_MatchEnd") -> None:
        await self._store_with_retries(row, end)
        self._pending.pop(row.match_id).set()

    async def _store_with_retries(self, row: MatchRow, end: "_MatchEnd | None") -> None:
        while not await self._try_store(row, end):  # noqa: ASYNC110  a store gives no sign when it is back
            await asyncio.sleep(RETRY_S)

    async def _try_store(self, row: MatchRow, end: "_MatchEnd | None") -> bool:
        try:
            if end is None:
                await self._store_start(row)
            else:
                await self._store_end(row, end)
        except StoreError as error:
            log.warning("store cannot be written, trying again", match=row.match_id, fault=str(error))
            return False
        return True

    async def _store_start(self, row: MatchRow) -> None:
        if row.match_id in self._moved:
            await self._results.move_match(row)
            self._moved.discard(row.match_id)
        else:
            await self._results.add_match(row)

    async def _store_end(self, row: MatchRow, end: "_MatchEnd") -> None:
        """The deal first: a match that the store calls ended can be checked."""
        if self._deals is not None and end.deal is not None:
            await self._deals.reveal(row.match_id, describe_revealed_deal(end.deal))
        games = end.record.games
        for first in range(0, len(games), GAMES_PER_WRITE):
            await self._results.add_games(games[first : first + GAMES_PER_WRITE])
        await self._results.end_match(end.record.match)


def _build_record(row: MatchRow, booking: HostedMatch) -> MatchRecord:
    """What is kept of a match; of one that never began, or of which nothing is to be kept, how it ended."""
    chronicle = booking.table.recorder
    if chronicle is None or not booking.is_running:
        return MatchRecord(replace(row, state="ended", termination=_termination_of(booking)), ())
    try:
        return chronicle.build_record(row, booking.table.referee)
    except Exception:  # a fault of ours in one match must not cost the others theirs; its journal is kept
        log.exception("what a match leaves behind was not written down", match=row.match_id)
        return MatchRecord(replace(row, state="ended", termination="unreadable"), ())


def _termination_of(booking: HostedMatch) -> str:
    ended = booking.table.referee.ended
    return "cancelled" if ended is None else ended.termination
