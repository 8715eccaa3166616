"""Batching of concurrent requests to the store, since a transaction costs more than the work in it."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

BatchItem = TypeVar("BatchItem")
BatchResult = TypeVar("BatchResult")


class Batcher(Generic[BatchItem, BatchResult]):
    """Runs one batch at a time. Requests made during a batch go into the next one.

    A failed batch of several requests is repeated for each request alone, so that one request cannot fail others.
    """

    def __init__(self, work: Callable[[Sequence[BatchItem]], Coroutine[Any, Any, Sequence[BatchResult]]]) -> None:
        """`work` returns results in the order of the items, and is all or nothing."""
        self._work = work
        self._waiting: list[tuple[BatchItem, asyncio.Future[BatchResult]]] = []
        self._running: asyncio.Task[None] | None = None

    async def submit(self, asked: BatchItem) -> BatchResult:
        """Return the work's result for this item, or raise its exception."""
        answer: asyncio.Future[BatchResult] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, answer))
        if self._running is None:
            self._running = asyncio.ensure_future(self._run_batches())
        return await answer

    async def _run_batches(self) -> None:
        while self._waiting:
            requests, self._waiting = self._waiting, []
            fault = await self._run_batch(requests)
            if fault is not None and len(requests) > 1:
                for request in requests:
                    await self._run_batch([request])
        self._running = None

    async def _run_batch(self, requests: Sequence[tuple[BatchItem, "asyncio.Future[BatchResult]"]]) -> Exception | None:
        """Run one batch; return its exception if it failed; only a batch of one passes it on to its caller."""
        try:
            given = await self._work([asked for asked, _ in requests])
        except Exception as fault:  # noqa: BLE001  raised in `submit`; no caller may wait for ever
            if len(requests) == 1 and not requests[0][1].done():
                requests[0][1].set_exception(fault)
            return fault
        for (_, answer), each in zip(requests, given, strict=True):
            if not answer.done():
                answer.set_result(each)
        return None
