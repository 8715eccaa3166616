"""Measures how much memory of the server an idle bot and a running match take."""

import asyncio
from contextlib import AsyncExitStack

from tools.benchmarks.row import Figure
from tools.benchmarks.site import SEATS, Play, Site, site, start

IDLE_GOAL_KIB = 48.0
LIVE_GOAL_KIB = 24.0
KEPT_GOAL_KIB = 16.0
"""The goal for each seat."""
WARM = 64
"""The number of bots or matches that come first. They are not counted, because some memory is needed only once."""
STREAMS = 8
"""The limit of streams on a connection. With this number, many bots need the fewest connections."""
SETTLE_S = 0.5


async def idle(count: int, with_connections: int) -> list[Figure]:
    """Measure by how much resident memory of the server grows for each bot that is connected but has no match.

    First `count` bots come, eight on each connection. Then `with_connections` bots come, each on its own connection.
    """
    async with site(processes=1) as place, AsyncExitStack() as stack:
        crowd = await start(stack, "idle", place.address, place.tokens["guest"], "guest")
        sizes = []
        for wanted, streams in ((WARM, STREAMS), (count, STREAMS), (WARM, 1), (with_connections, 1)):
            await crowd.ask("connect", count=wanted, streams=streams)
            await asyncio.sleep(SETTLE_S)
            sizes.append((await place.server.ask("weigh"))["resident"])
    return [
        Figure(f"idle bot, {count} of them", "KiB", (sizes[1] - sizes[0]) / count / 1024, IDLE_GOAL_KIB),
        Figure(
            f"idle bot on a connection of its own, {with_connections} of them", "KiB",
            (sizes[3] - sizes[2]) / with_connections / 1024, IDLE_GOAL_KIB,
        ),
    ]  # fmt: skip


async def live(count: int, each: int) -> list[Figure]:
    """Measure matches that have been played until the seats have given `each` answers on average.

    A match keeps messages for bots that reconnect. A walk over the objects of its room measures these messages. A
    similar walk measures its referee. The rest of its memory is the growth of resident memory per match, without the
    kept messages. The journal takes no memory, because it is a file.
    """
    async with site() as place:
        await _play(place, min(WARM, count), each // 4)
        await place.server.ask("cancel", after=0)
        before = await place.server.ask("weigh")
        await _play(place, count, each)
        after = await place.server.ask("weigh")
    kept = after["kept"] / count
    taken = (after["resident"] - before["resident"]) / count
    return [
        Figure("live match beside what it keeps", "KiB", (taken - kept) / 1024, LIVE_GOAL_KIB),
        Figure("live match, its referee by a walk", "KiB", after["objects"] / count / 1024),
        Figure("kept for a seat that comes back", "KiB", kept / SEATS / 1024, KEPT_GOAL_KIB),
    ]


async def _play(place: Site, count: int, each: int) -> None:
    await place.play(count, Play())
    await place.server.wait_for(lambda counted: counted["decisions"] >= count * SEATS * each, every_s=0.1)
