"""What many ask the store for at the same time is done in one go: a transaction costs more than what is in it."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

Asked = TypeVar("Asked")
Given = TypeVar("Given")


class Batches(Generic[Asked, Given]):
    """One batch at a time. Whoever asks while one is under way waits for the next, which begins after it has asked.

    A batch that fails for several is done again for each of them alone, so that nobody pays for another's fault.
    """

    def __init__(self, work: Callable[[Sequence[Asked]], Coroutine[Any, Any, Sequence[Given]]]) -> None:
        """`work` answers in the order of what was asked, all or nothing."""
        self._work = work
        self._waiting: list[tuple[Asked, asyncio.Future[Given]]] = []
        self._going: asyncio.Task[None] | None = None

    async def ask(self, asked: Asked) -> Given:
        """Give what the work gives for this, or raise what it raises."""
        answer: asyncio.Future[Given] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, answer))
        if self._going is None:
            self._going = asyncio.ensure_future(self._go())
        return await answer

    async def _go(self) -> None:
        while self._waiting:
            wishes, self._waiting = self._waiting, []
            fault = await self._do(wishes)
            if fault is not None and len(wishes) > 1:
                for wish in wishes:
                    await self._do([wish])
        self._going = None

    async def _do(self, wishes: Sequence[tuple[Asked, "asyncio.Future[Given]"]]) -> Exception | None:
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
