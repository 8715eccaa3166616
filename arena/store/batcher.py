"""What many ask the store for at the same time is done in one go: a transaction costs more than what is in it."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

BatchItem = TypeVar("BatchItem")
BatchResult = TypeVar("BatchResult")


class Batcher(Generic[BatchItem, BatchResult]):
    """One batch at a time. Whoever asks while one is under way waits for the next, which begins after it has asked.

    A batch that fails for several is done again for each of them alone, so that nobody pays for another's fault.
    """

    def __init__(self, work: Callable[[Sequence[BatchItem]], Coroutine[Any, Any, Sequence[BatchResult]]]) -> None:
        """`work` answers in the order of what was asked, all or nothing."""
        self._work = work
        self._waiting: list[tuple[BatchItem, asyncio.Future[BatchResult]]] = []
        self._going: asyncio.Task[None] | None = None

    async def submit(self, asked: BatchItem) -> BatchResult:
        """Give what the work gives for this, or raise what it raises."""
        answer: asyncio.Future[BatchResult] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, answer))
        if self._going is None:
            self._going = asyncio.ensure_future(self._run_batches())
        return await answer

    async def _run_batches(self) -> None:
        while self._waiting:
            wishes, self._waiting = self._waiting, []
            fault = await self._run_batch(wishes)
            if fault is not None and len(wishes) > 1:
                for wish in wishes:
                    await self._run_batch([wish])
        self._going = None

    async def _run_batch(self, wishes: Sequence[tuple[BatchItem, "asyncio.Future[BatchResult]"]]) -> Exception | None:
        """Do one batch and answer; gives the fault where it failed. Several are not told: each gets one of its own."""
        try:
            given = await self._work([asked for asked, _ in wishes])
        except Exception as fault:  # noqa: BLE001  is raised where it was asked for; nobody may wait for ever
            if len(wishes) == 1 and not wishes[0][1].done():
                wishes[0][1].set_exception(fault)
            return fault
        for (_, answer), each in zip(wishes, given, strict=True):
            if not answer.done():
                answer.set_result(each)
        return None
