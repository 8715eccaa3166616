"""Brings deals into the store's chain: that of a match which waits for it, and many ahead while none is made.

A deal that was laid ready and will not be dealt is opened like any other, so that the chain has no link that nobody can
check. What cannot be opened now, is when the next server starts.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import structlog

from arena.errors import StoreError
from arena.match.deal import reveal_deal
from arena.match.deal_serialization import describe_revealed_deal, new_deal_row
from arena.match.ports import DealRow, DealStore
from arena.node.node import Node
from arena.node.ready_deals import AssignedDeal

log = structlog.get_logger(__name__)

IDLE_DELAY_S = 0.01
"""Deals are laid ready when no match has been made for so long."""
BATCH_SIZE = 8
"""So many are laid, and committed in one transaction, before one looks again: a few milliseconds' work."""


class DealCommitter:
    """Commits deals, and fills the shoe of a node's supply."""

    def __init__(self, node: Node, deals: DealStore) -> None:
        self._node = node
        self._supply = node.hall.deal_factory
        self._shoe = node.hall.deal_factory.ready_deals
        self._deals = deals
        self._timer: asyncio.TimerHandle | None = None
        self._filling: asyncio.Task[None] | None = None

    async def commit(self, laid: AssignedDeal) -> DealRow:
        """Fix a deal, in the journal first; what waits at the same time is fixed together. Raises StoreError."""
        (row,) = await self._commit_batch([laid])
        if isinstance(row, BaseException):
            raise row
        return row

    def schedule_fill(self) -> None:
        """No match is being made: see soon whether deals should be laid ready."""
        if self._timer is not None:
            self._timer.cancel()
        if self._shoe.is_low or self._shoe.unused:
            self._timer = asyncio.get_running_loop().call_later(IDLE_DELAY_S, self._start_fill)

    async def close(self) -> None:
        """Open what lies ready: no match will be made any more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._filling is not None:
            await asyncio.wait({self._filling})
        self._shoe.clear()
        await self._reveal_unused()

    def _start_fill(self) -> None:
        if self._filling is None or self._filling.done():
            self._filling = asyncio.ensure_future(self._fill())

    async def _fill(self) -> None:
        """Lay deals ready, some at a time, until there are enough."""
        await self._reveal_unused()
        while (lack := min(self._shoe.shortfall, BATCH_SIZE)) and not self._node.hall.is_closing:
            laid = await self._prepare_deals(lack)
            try:
                rows = await self._commit_batch(laid)
            except StoreError as fault:
                log.warning("no deals can be laid ready", fault=str(fault))
                return
            ready = [replace(each, row=row) for each, row in zip(laid, rows, strict=True) if isinstance(row, DealRow)]
            self._shoe.add(ready, self._supply.last_number)
            if not ready or self._shoe.unused:
                break
        await self._reveal_unused()

    async def _prepare_deals(self, count: int) -> Sequence[AssignedDeal]:
        """Lay so many deals, one a pass of the loop; none if a match is made meanwhile for which there was none."""
        supply, shoe, laid = self._supply, self._shoe, list[AssignedDeal]()
        for _ in range(count):
            await asyncio.sleep(0)
            if shoe.terms is None or (laid and laid[-1].number != supply.last_number):
                return ()
            laid.append(supply.prepare_ahead(supply.make_deal(shoe.terms, self._node.now()), shoe.terms))
        return laid

    async def _commit_batch(self, laid: Sequence[AssignedDeal]) -> Sequence[DealRow | BaseException]:
        """Give the row of each, or why there is none. Raises StoreError where the journal cannot be written."""
        await self._node.journal.wait_until_flushed()
        file = f"{self._node.name}.journal"
        rows = [new_deal_row(each.secret, each.match_id, each.number, file, each.made_at) for each in laid]
        return await asyncio.gather(*map(self._deals.commit, rows), return_exceptions=True)

    async def _reveal_unused(self) -> None:
        unused, self._shoe.unused = self._shoe.unused, []
        opened = [self._deals.reveal(e.match_id, describe_revealed_deal(reveal_deal(e.secret, None))) for e in unused]
        for fault in await asyncio.gather(*opened, return_exceptions=True):
            if fault is not None:
                log.warning("a deal that nobody played cannot be opened now", fault=str(fault))
