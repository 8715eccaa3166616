"""Runs work in the background of a process. A failure of this work stops the process in order."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

from arena.log_lines import get_logger

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
