"""Puts requests that come at the same time into one transaction."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

BatchItem = TypeVar("BatchItem")
BatchResult = TypeVar("BatchResult")


class Batcher(Generic[BatchItem, BatchResult]):
    """Runs one batch at a time, because a transaction costs more than the work in it.

    Requests made during a batch go into the next one.

    If a batch of several requests fails, each request is tried again alone, so that one request cannot make the others
    fail.
    """

    def __init__(
        self,
        transact: Callable[[Callable[[Connection], Sequence[BatchResult]]], Coroutine[Any, Any, Sequence[BatchResult]]],
        work: Callable[[Connection, Sequence[BatchItem]], Sequence[BatchResult]],
    ) -> None:
        """`work` returns results in the order of the items. It runs in `transact`. If it raises, nothing changes."""
        self._transact, self._work = transact, work
        self._waiting: list[tuple[BatchItem, asyncio.Future[BatchResult]]] = []
        self._running: asyncio.Task[None] | None = None

    async def submit(self, item: BatchItem) -> BatchResult:
        """Return the work's result for this item, or raise its exception."""
        future: asyncio.Future[BatchResult] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._running is None:
            self._running = asyncio.create_task(self._run_batches())
        return await future

    async def _run_batches(self) -> None:
        while self._waiting:
            requests, self._waiting = self._waiting, []
            fault = await self._run_batch(requests)
            if fault is not None and len(requests) > 1:
                for request in requests:
                    await self._run_batch([request])
        self._running = None

    async def _run_batch(self, requests: Sequence[tuple[BatchItem, "asyncio.Future[BatchResult]"]]) -> Exception | None:
        """Run one batch, and return its exception or None.

        If the batch has only one request, the request's `submit` raises the exception too.
        """
        try:
            items = [item for item, _ in requests]
            results = await self._transact(lambda connection: self._work(connection, items))
        except Exception as fault:  # noqa: BLE001  raised in `submit`; no caller may wait forever
            if len(requests) == 1 and not requests[0][1].done():
                requests[0][1].set_exception(fault)
            return fault
        for (_, future), result in zip(requests, results, strict=True):
            if not future.done():
                future.set_result(result)
        return None
