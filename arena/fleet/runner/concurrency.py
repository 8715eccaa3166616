"""Runs coroutines side by side, so that none outlives the others."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


async def run_all(coroutines: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines side by side. The first error cancels the others and is raised.

    Each task is cancelled only once, so that it can clean up, and is then awaited.
    """
    # No TaskGroup: it would wrap the error in an ExceptionGroup, which callers do not expect.
    tasks = [asyncio.create_task(each) for each in coroutines]
    done: set[asyncio.Task[None]] = set()
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
