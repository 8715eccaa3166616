"""Runs a node's long computations in a thread, so that the event loop stays responsive."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from arena.log_lines import get_logger
from arena.match.referee.ports import ResultT

log = get_logger(__name__)


class BackgroundWorker:
    """Runs one task at a time; implements `arena.match.referee.ports.BackgroundRunner`. Belongs to the running loop."""

    def __init__(self, resumed: asyncio.Event, after: Callable[[], None]) -> None:
        """Results are delivered only while `resumed` is set; `after` is called after each delivery."""
        self._resumed = resumed
        self._after = after
        self._loop = asyncio.get_running_loop()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="shuffler")
        self._tasks: set[asyncio.Task[None]] = set()

    def __call__(self, work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
        """Run `work` in the thread, then call `then` with its result in the loop."""
        task = self._loop.create_task(self._run(work, then))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
        try:
            result = await self._loop.run_in_executor(self._executor, work)
            await self._resumed.wait()
            then(result)
            self._after()
        except Exception:  # an internal error in one match must not affect the others
            log.exception("background work failed")
