"""Measures two servers on one machine. Each has its own bots and half of the matches."""

import asyncio
from contextlib import AsyncExitStack

from tools.benchmarks.row import Figure
from tools.benchmarks.site import Play, site

NODES = 2


async def nodes(name: str, matches: int, seconds: float) -> list[Figure]:
    """Measure the decisions of both servers together. Each has one process of bots, which has all seats."""
    async with AsyncExitStack() as stack:
        places = [await stack.enter_async_context(site(processes=1)) for _ in range(NODES)]
        await asyncio.gather(*(place.play(matches // NODES, Play()) for place in places))
        await asyncio.sleep(seconds / 4)
        spans = await asyncio.gather(*(place.watch(seconds) for place in places))
    cost_us = sum(span.server_us * span.decisions for span in spans) / max(1, sum(span.decisions for span in spans))
    return [
        Figure(f"{name} rate", "/s", sum(span.rate for span in spans), is_more_better=True),
        Figure(f"{name} server", "us", cost_us),
    ]
