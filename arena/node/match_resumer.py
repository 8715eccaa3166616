"""Takes up the matches that the last server left unfinished.

A match continues when all of its bots are back, or when the wait for them is over. Until then it stands still, so that
a restart costs nobody time. A match that was only offered is offered again.

    journal of the last server ──▶ new journal ──▶ store: row and deal now refer to the new journal ──▶ table goes on

Each step waits for the step before it, so that a server that is killed between two steps loses nothing.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

import structlog

from arena.errors import ArenaError, StoreError
from arena.match.interrupted_match import InterruptedMatch
from arena.match.match_record import new_match_row
from arena.match.ports import MatchId, ResultStore
from arena.node.hosted_match import HostedMatch
from arena.node.node import Node
from arena.node.result_writer import ResultWriter

log = structlog.get_logger(__name__)

POLL_S = 0.02
RETRY_S = 0.5
BATCH_SIZE = 64
"""The number of matches that are taken up in one transaction of the store."""


class MatchResumer:
    """Takes up interrupted matches. Run `run` as a task."""

    def __init__(
        self,
        node: Node,
        matches: Mapping[MatchId, InterruptedMatch],
        results: ResultStore,
        result_writer: ResultWriter,
        journal: str,
        bot_return_s: float,
    ) -> None:
        """`journal` is the file name of the node's journal; `bot_return_s` is how long a match waits for its bots."""
        self._bot_return_s = bot_return_s
        self._node = node
        self._results = results
        self._result_writer = result_writer
        self._journal = journal
        self._urgent: set[MatchId] = set()
        self.waiting = dict(matches)
        """The matches that stand still."""
        for match_id in self.waiting:
            result_writer.expect(match_id)

    async def run(self) -> None:
        """Take up all matches."""
        deadline = asyncio.get_running_loop().time() + self._bot_return_s
        while self.waiting and not self._node.registry.is_closing:
            is_late = asyncio.get_running_loop().time() >= deadline
            ready = [match for match_id, match in self.waiting.items() if is_late or self._is_ready(match_id, match)]
            for batch in _batches(ready):
                await self._take_up(batch)
            await asyncio.sleep(POLL_S)

    async def resume_now(self, match_id: MatchId) -> None:
        """Take up a match without waiting for its bots, and return when the match continues."""
        self._urgent.add(match_id)
        while match_id in self.waiting:  # noqa: ASYNC110  it lasts a few milliseconds, and seldom happens
            await asyncio.sleep(POLL_S)

    def _is_ready(self, match_id: MatchId, match: InterruptedMatch) -> bool:
        connected = self._node.registry.sessions.by_key
        return match_id in self._urgent or all(key in connected for key in match.offer.sessions)

    async def _take_up(self, batch: Sequence[InterruptedMatch]) -> None:
        """Take up some matches: journal, then store, then play."""
        await self._node.resumed.wait()
        since = self._node.now()
        taken = [hosted for match in batch if (hosted := self._journal_match(match)) is not None]
        await self._node.journal.wait_until_recorded()
        await self._store_move(taken)
        await self._node.resumed.wait()
        for hosted in taken:
            self._node.registry.continue_match(hosted, since, self._node.now())
            del self.waiting[hosted.match_id]
            self._node.rearm_timer()
            await asyncio.sleep(0)
        log.info("matches go on", matches=len(taken), waiting=len(self.waiting))

    def _journal_match(self, match: InterruptedMatch) -> HostedMatch | None:
        """Return a match under its new number. If its records cannot be replayed, return None and change nothing."""
        try:
            return self._node.registry.take_up(match, self._node.now())
        except (ArenaError, LookupError, ValueError):
            log.exception("interrupted match cannot be resumed", match=match.offer.match_id)
            del self.waiting[match.offer.match_id]
            self._result_writer.release(match.offer.match_id)
            return None

    async def _store_move(self, taken: Iterable[HostedMatch]) -> None:
        """Store where the matches are journaled now; retry until the store can be written."""
        rows = [new_match_row(each.match_id, each.number, each.terms, self._journal, each.created_at) for each in taken]
        while rows:
            try:
                await self._results.move_matches(rows)
            except StoreError as error:
                log.warning("store cannot be written, trying again", matches=len(rows), fault=str(error))
                await asyncio.sleep(RETRY_S)
            else:
                return


def _batches(matches: Sequence[InterruptedMatch]) -> Iterable[list[InterruptedMatch]]:
    rest = iter(matches)
    while batch := list(islice(rest, BATCH_SIZE)):
        yield batch
