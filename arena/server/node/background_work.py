"""Runs work beside the event loop's own: coroutines whose failure stops the process in order, and long computations."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from arena.log_lines import get_logger
from arena.match.referee.ports import ResultT

log = get_logger(__name__)


@asynccontextmanager
async def run_in_background(*works: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run coroutines while the block runs, and cancel them when the block ends.

    If one of them fails, the block is cancelled. The failure is raised when the block has cleaned up.
    """
    failure: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work, name=getattr(work, "__qualname__", None)) for work in works]
            for task in tasks:
                task.add_done_callback(_log_failure)
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
    except BaseExceptionGroup as errors:
        failure = errors.exceptions[0]  # it caused the others
    if failure is not None:
        raise failure


def _log_failure(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("work in the background failed, so this process stops", work=task.get_name(), exc_info=error)


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
