"""Takes up the matches that the last server left unfinished.

A server takes up every match right after its start. Each match then stands still until all of its bots are back, or
until the wait for them is over. So no bot loses time because of a restart. A match that was only offered is offered
again.

    journal of the last server ──▶ new journal ──▶ store: row and deal now refer to the new journal ──▶ match goes on

Each step waits for the step before it, so that a server that is killed between two steps loses nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from arena.errors import ArenaError, StoreError
from arena.log_lines import get_logger
from arena.match.referee.interrupted_match import InterruptedMatch
from arena.match.referee.match_record import new_match_row
from arena.match.referee.ports import MatchId, ResultStore
from arena.match.referee.scalars import Instant
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.node import Node
from arena.server.node.result_writer import ResultWriter

log = get_logger(__name__)

POLL_S = 0.02
RETRY_S = 0.5
MAX_SLICE_S = 0.04
"""Seconds for which matches are continued before the loop may do other work. A pause above 0.05 s would be a stall."""
BATCH_SIZE = 64
"""The number of matches that are taken up in one transaction of the store."""


@dataclass(frozen=True, slots=True)
class _StandingMatch:
    hosted: HostedMatch
    since: Instant
    """From this instant until the match goes on, the clocks of all bots stand still."""


class MatchResumer:
    """Run `run` as a task."""

    def __init__(
        self,
        node: Node,
        matches: Mapping[MatchId, InterruptedMatch],
        results: ResultStore,
        result_writer: ResultWriter,
        journal: str,
        bot_return_s: float,
        close_match: Callable[[MatchId], Awaitable[None]],
    ) -> None:
        """`journal` is the file name of the node's journal; `bot_return_s` is how long a match waits for its bots.

        `close_match` stores that a match is interrupted, and reveals its deal. It raises StoreError.
        """
        self._close_match = close_match
        self._bot_return_s = bot_return_s
        self._node = node
        self._results = results
        self._result_writer = result_writer
        self._journal = journal
        self._urgent: set[MatchId] = set()
        self._standing: dict[MatchId, _StandingMatch] = {}
        self.waiting = dict(matches)
        """The matches that stand still. Those that are taken up already are found by `find_standing`."""
        for match_id in self.waiting:
            result_writer.expect(match_id)

    async def run(self) -> None:
        """Take up all matches, then let each go on when its bots are back.

        No match goes on before all are taken up. Otherwise the first matches would play at full rate and delay the
        others.
        """
        deadline = asyncio.get_running_loop().time() + self._bot_return_s
        for batch in _batches(list(self.waiting.values())):
            if not self._node.registry.is_closing:
                await self._take_up(batch)
        while self.waiting and not self._node.registry.is_closing:
            await self._node.resumed.wait()
            await self._continue_ready(is_late=asyncio.get_running_loop().time() >= deadline)
            await asyncio.sleep(POLL_S)

    def find_standing(self, match_id: MatchId) -> HostedMatch | None:
        """Return a match that has been taken up and waits for its bots; None if there is no such match."""
        standing = self._standing.get(match_id)
        return None if standing is None else standing.hosted

    async def resume_now(self, match_id: MatchId) -> None:
        """Let a match go on without its bots, and return when it does. All matches are taken up before that."""
        self._urgent.add(match_id)
        while match_id in self.waiting:  # noqa: ASYNC110  seldom happens, and nothing announces it
            await asyncio.sleep(POLL_S)

    async def _take_up(self, batch: Sequence[InterruptedMatch]) -> None:
        """Replay some matches to their last recorded state, then write them to the journal and to the store."""
        await self._node.resumed.wait()
        taken: list[_StandingMatch] = []
        refused: list[MatchId] = []
        for match in batch:
            since = self._node.now()
            if (hosted := self._journal_match(match)) is not None:
                taken.append(_StandingMatch(hosted, since))
            else:
                refused.append(match.offer.match_id)
            await asyncio.sleep(0)  # a match with a long history takes some milliseconds; sessions are opened between
        await self._node.journal.wait_until_recorded()
        await self._store_move(each.hosted for each in taken)
        self._standing |= {each.hosted.match_id: each for each in taken}
        for match_id in refused:
            await self._close(match_id)
        log.info("matches taken up", matches=len(taken), waiting=len(self.waiting))

    async def _continue_ready(self, *, is_late: bool) -> None:
        """Let the matches go on whose bots are back, or all of them if the wait for bots is over."""
        loop = asyncio.get_running_loop()
        slice_end = loop.time() + MAX_SLICE_S
        for match_id, standing in tuple(self._standing.items()):
            if is_late or self._is_ready(standing.hosted):
                self._node.registry.continue_match(standing.hosted, standing.since, self._node.now())
                del self._standing[match_id], self.waiting[match_id]
                if loop.time() > slice_end:
                    self._node.rearm_timer()
                    await asyncio.sleep(0)
                    slice_end = loop.time() + MAX_SLICE_S
        self._node.rearm_timer()

    def _is_ready(self, hosted: HostedMatch) -> bool:
        connected = self._node.registry.sessions.by_key
        return hosted.match_id in self._urgent or all(key in connected for key in hosted.keys)

    def _journal_match(self, match: InterruptedMatch) -> HostedMatch | None:
        """Return a match under its new number. If its records cannot be replayed, return None and change nothing."""
        try:
            return self._node.registry.take_up(match, self._node.now())
        except (ArenaError, LookupError, ValueError) as error:
            log.warning("interrupted match cannot be resumed", match=match.offer.match_id, fault=str(error))
            log.debug("why it cannot be resumed", match=match.offer.match_id, exc_info=error)
            return None

    async def _close(self, match_id: MatchId) -> None:
        """Retry until the store can be written."""
        while True:
            try:
                await self._close_match(match_id)
            except StoreError as error:
                log.warning("store cannot be written, trying again", match=match_id, fault=str(error))
                await asyncio.sleep(RETRY_S)
            else:
                break
        del self.waiting[match_id]
        self._result_writer.release(match_id)

    async def _store_move(self, taken: Iterable[HostedMatch]) -> None:
        """Retry until the store can be written."""
        rows = [new_match_row(each.match_id, each.number, each.terms, self._journal, each.created_at) for each in taken]
        while rows:
            try:
                await self._results.move_matches(rows)
            except StoreError as error:
                log.warning("store cannot be written, trying again", matches=len(rows), fault=str(error))
                await asyncio.sleep(RETRY_S)
            else:
                return


def _batches(matches: Sequence[InterruptedMatch]) -> Iterator[list[InterruptedMatch]]:
    rest = iter(matches)
    while batch := list(islice(rest, BATCH_SIZE)):
        yield batch
