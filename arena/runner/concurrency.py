"""Several things at once, of which none outlives the others."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


async def run_all(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do several things at once; the first one that fails ends them all, and that is raised.

    Each is cancelled once, so that it may tidy up, and is waited for.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    done: set[asyncio.Task[None]] = set()
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
