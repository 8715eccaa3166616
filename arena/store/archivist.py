"""Stores matches as they begin and end: one queue, one writer, each match's results in one transaction.

What is derived from a match's records is worked out in a thread, away from the loop that plays; that of a match of
many games while it goes on, a little at a time, so that its end need not wait for it. A store that cannot be written is
tried again until it can; nothing is dropped meanwhile.
"""

import asyncio
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

import structlog

from arena.errors import StoreError
from arena.match.archive import Derivation, Record, first_row
from arena.match.booking import Booking
from arena.match.deal_values import describe_revealed
from arena.match.facts import DealRevealed
from arena.match.ports import DealStore, MatchId, MatchRow, ResultStore
from arena.match.table import Table
from arena.rules.game import Game

log = structlog.get_logger(__name__)

RETRY_S: Final = 0.5
KEEP_UP_S: Final = 0.25
"""How often running matches are looked at."""
CHUNK: Final = 250
"""Records that are worth a look while their match goes on: about those of a game of four."""
_STEP: Final = 10
_PAUSE_S: Final = 0.0005
"""The loop waits for half a millisecond at most, the time of a step, not for Python's five of a thread's turn."""


class _Course:
    """A match from its beginning on, as far as it is derived. What it gives and takes is the thread's."""

    def __init__(self, row: MatchRow, table: Table, games: Mapping[str, Game]) -> None:
        self.row = row
        self.table = table
        self._games = games
        self._derivation: Derivation | None = None
        self._fault: Exception | None = None

    @property
    def is_behind(self) -> bool:
        """Whether a game is over, and much is not derived. A match of one game is derived at its end."""
        return bool(self.table.referee.results) and len(self.table.records) >= CHUNK

    def go_on(self, records: list[bytes]) -> None:
        """Derive what there is, slowly: the loop goes first. What fails is told at the end."""
        try:
            for first in range(0, len(records), _STEP):
                self._take(records[first : first + _STEP])
                time.sleep(_PAUSE_S)
        except Exception as fault:  # noqa: BLE001  see above
            self._fault = fault

    def record(self, records: list[bytes]) -> Record:
        """What is to be kept, with these last records. Raises what has failed on the way."""
        if self._derivation is None or records:
            self._take(records)
        assert self._derivation is not None
        return self._derivation.record()

    def _take(self, records: list[bytes]) -> None:
        if self._fault is not None:
            raise self._fault
        if self._derivation is None:
            self._derivation = Derivation(self.row, records, self._games)
        else:
            self._derivation.go_on(records)


@dataclass(slots=True)
class _End:
    """What a match that is over leaves behind."""

    course: _Course
    rest: list[bytes]
    """Records that are not derived yet."""
    deal: DealRevealed
    record: Record | None = None


class Archivist:
    """Keeps what a hall's matches leave behind. Run `work` as a task."""

    def __init__(
        self, results: ResultStore, games: Mapping[str, Game], journal: str, deals: DealStore | None = None
    ) -> None:
        """`journal` names the file that the node writes. Without `deals` none are kept."""
        self._results = results
        self._deals = deals
        self._games = games
        self._journal = journal
        self._queue: asyncio.Queue[tuple[MatchRow, _End | None]] = asyncio.Queue()
        self._pending: dict[MatchId, asyncio.Event] = {}
        self._courses: dict[MatchId, _Course] = {}
        """Of the matches that run."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archivist")

    def expect(self, match_id: MatchId) -> None:
        """A match is made; `kept` waits for its end from now on."""
        self._pending.setdefault(match_id, asyncio.Event())

    def began(self, booking: Booking) -> None:
        """A match has begun."""
        row = first_row(booking.match_id, booking.number, booking.terms, self._journal, booking.created_at)
        self._courses[booking.match_id] = _Course(row, booking.table, self._games)
        log.info("match began", match=booking.match_id, number=booking.number, entrants=booking.terms.entrants)
        self.expect(booking.match_id)
        self._queue.put_nowait((row, None))

    def ended(self, booking: Booking) -> None:
        """A match is over. One that never began leaves no records, only how it ended."""
        if booking.match_id not in self._courses:
            self.began(booking)
        course = self._courses.pop(booking.match_id)
        log.info("match ended", match=booking.match_id, number=booking.number, termination=_termination_of(booking))
        end = _End(course, course.table.take_records(), booking.deal.reveal())
        if not booking.is_running:
            end.record = Record(replace(course.row, state="ended", termination=_termination_of(booking)), ())
        self._queue.put_nowait((course.row, end))

    async def kept(self, match_id: MatchId) -> None:
        """Return when a match is over and its results are kept."""
        pending = self._pending.get(match_id)
        if pending is not None:
            await pending.wait()

    async def drained(self) -> None:
        """Return when everything so far is kept."""
        await self._queue.join()

    async def work(self) -> None:
        """Store what comes: what has begun together, then what has ended, one match after the other."""
        while True:
            found = [await self._queue.get()]
            while not self._queue.empty():
                found.append(self._queue.get_nowait())
            await asyncio.gather(*(self._see_stored(row, None) for row, end in found if end is None))
            for row, end in found:
                if end is not None:
                    await self._see_stored(row, end)
                    self._pending.pop(row.match_id).set()
                self._queue.task_done()

    async def keep_up(self) -> None:
        """Derive what running matches have left so far, one after the other. Run it as a task."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(KEEP_UP_S)
            for match_id, course in list(self._courses.items()):
                while match_id in self._courses and course.is_behind:
                    await loop.run_in_executor(self._thread, course.go_on, course.table.take_records(CHUNK))

    async def _see_stored(self, row: MatchRow, end: _End | None) -> None:
        while not await self._is_stored(row, end):  # noqa: ASYNC110  a store gives no sign when it is back
            await asyncio.sleep(RETRY_S)

    async def _is_stored(self, row: MatchRow, end: _End | None) -> bool:
        try:
            if end is None:
                await self._results.add_match(row)
            else:
                await self._store_end(row, end)
        except StoreError as error:
            log.warning("store cannot be written, trying again", match=row.match_id, fault=str(error))
            return False
        return True

    async def _store_end(self, row: MatchRow, end: _End) -> None:
        """The deal first: a match that the store calls ended can be checked."""
        if self._deals is not None:
            await self._deals.reveal(row.match_id, describe_revealed(end.deal))
        end.record = record = end.record or await self._derived(row, end)
        await self._results.add_games(record.games)
        await self._results.end_match(record.match)

    async def _derived(self, row: MatchRow, end: _End) -> Record:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, end.course.record, end.rest)
        except Exception:  # a fault of ours in one match must not cost the others theirs; its journal is kept
            log.exception("match cannot be derived from its records", match=row.match_id)
            return Record(replace(row, state="ended", termination="unreadable"), ())


def _termination_of(booking: Booking) -> str:
    ended = booking.table.referee.ended
    return "cancelled" if ended is None else ended.termination
