"""Commits deals to the store's chain: on demand for a match that waits, and ahead of demand while the node is idle.

A prepared deal that will not be used is revealed like any other, so that every link of the chain can be checked. If it
cannot be revealed, the next server reveals it when it starts.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from arena.errors import StoreError
from arena.log_lines import get_logger
from arena.match.referee.deal import reveal_deal
from arena.match.referee.deal_serialization import describe_revealed_deal, new_deal_row
from arena.match.referee.ports import DealRow, DealStore
from arena.server.node.deals import AssignedDeal
from arena.server.node.node import Node

log = get_logger(__name__)

IDLE_DELAY_S = 0.01
"""Deals are prepared ahead only after the node has created no match for this long."""
BATCH_SIZE = 8
"""The number of deals prepared and committed in one transaction. This takes a few milliseconds."""


class DealCommitter:
    def __init__(self, node: Node, deals: DealStore) -> None:
        self._node = node
        self._deal_factory = node.registry.deal_factory
        self._ready_deals = node.registry.deal_factory.ready_deals
        self._deals = deals
        self._timer: asyncio.TimerHandle | None = None
        self._filling: asyncio.Task[None] | None = None

    async def commit(self, deal: AssignedDeal) -> DealRow:
        """Commit a deal that the journal has. Concurrent commits share a transaction. Raises StoreError."""
        (row,) = await self._commit_batch([deal])
        if isinstance(row, BaseException):
            raise row
        return row

    def schedule_fill(self) -> None:
        """After the idle delay, prepare deals if too few are ready, and reveal unused ones.

        Called when no match is being created.
        """
        if self._timer is not None:
            self._timer.cancel()
        if self._ready_deals.is_low or self._ready_deals.unused:
            self._timer = asyncio.get_running_loop().call_later(IDLE_DELAY_S, self._start_fill)

    async def close(self) -> None:
        """Reveal all ready deals; no further match will be created."""
        if self._timer is not None:
            self._timer.cancel()
        if self._filling is not None:
            await asyncio.wait({self._filling})
        self._ready_deals.clear()
        await self._reveal_unused()

    def _start_fill(self) -> None:
        if self._filling is None or self._filling.done():
            self._filling = asyncio.ensure_future(self._fill())

    async def _fill(self) -> None:
        await self._reveal_unused()
        while (missing := min(self._ready_deals.shortfall, BATCH_SIZE)) and not self._node.registry.is_closing:
            assigned = await self._prepare_deals(missing)
            try:
                rows = await self._commit_batch(assigned)
            except StoreError as error:
                log.warning("deals cannot be prepared ahead", fault=str(error))
                return
            ready = [
                replace(each, row=row) for each, row in zip(assigned, rows, strict=True) if isinstance(row, DealRow)
            ]
            self._ready_deals.add(ready, self._deal_factory.last_made)
            if not ready or self._ready_deals.unused:
                break
        await self._reveal_unused()

    async def _prepare_deals(self, count: int) -> Sequence[AssignedDeal]:
        """Prepare one deal per loop pass. Return none if another deal was made in the meantime."""
        factory, ready_deals, assigned = self._deal_factory, self._ready_deals, list[AssignedDeal]()
        for _ in range(count):
            await asyncio.sleep(0)
            if ready_deals.terms is None or (assigned and assigned[-1].number != factory.last_made):
                return ()
            assigned.append(
                factory.prepare_ahead(factory.make_deal(ready_deals.terms, self._node.now()), ready_deals.terms)
            )
        return assigned

    async def _commit_batch(self, assigned: Sequence[AssignedDeal]) -> Sequence[DealRow | BaseException]:
        """Return the row or exception of each. Raises StoreError if the journal cannot be written."""
        await self._node.journal.wait_until_flushed()
        file = f"{self._node.name}.journal"
        rows = [new_deal_row(each.secret, each.match_id, each.number, file, each.made_at) for each in assigned]
        return await asyncio.gather(*map(self._deals.commit, rows), return_exceptions=True)

    async def _reveal_unused(self) -> None:
        unused, self._ready_deals.unused = self._ready_deals.unused, []
        reveals = [self._deals.reveal(e.match_id, describe_revealed_deal(reveal_deal(e.secret, None))) for e in unused]
        for error in await asyncio.gather(*reveals, return_exceptions=True):
            if error is not None:
                log.warning("an unused deal cannot be revealed now", fault=str(error))
