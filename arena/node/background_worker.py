"""Long work of a node, done in a thread beside the loop that plays."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import structlog

from arena.match.ports import ResultT

log = structlog.get_logger(__name__)


class BackgroundWorker:
    """One work at a time; implements `arena.match.ports.BackgroundRunner`. Belongs to the running loop."""

    def __init__(self, resumed: asyncio.Event, after: Callable[[], None]) -> None:
        """A result is gone on with once `resumed` is set; `after` is called then."""
        self._resumed = resumed
        self._after = after
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="shuffler")
        self._works: set[asyncio.Task[None]] = set()

    def __call__(self, work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
        """Do work in the thread, and give its result to `then` in the loop."""
        task = self._loop.create_task(self._run(work, then))
        self._works.add(task)
        task.add_done_callback(self._on_done)

    async def _run(self, work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
        made = await self._loop.run_in_executor(self._thread, work)
        await self._resumed.wait()
        then(made)
        self._after()

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._works.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            log.error("work beside the loop failed", exc_info=fault)
