"""What an idle bot and a live match cost the server in memory."""

import asyncio
from contextlib import AsyncExitStack

from tests.benchmarks.row import Figure
from tests.benchmarks.site import SEATS, Play, Site, site, start

IDLE_GOAL_KIB = 48.0
LIVE_GOAL_KIB = 24.0
KEPT_GOAL_KIB = 16.0
"""For each seat."""
WARM = 64
"""So many bots come first and are not counted: with them comes what the server needs once."""
STREAMS = 8
"""The limit of a connection, and so the cheapest way for many bots to come."""
SETTLE_S = 0.5


async def idle(count: int, with_connections: int) -> list[Figure]:
    """Bots that are connected and have no match; the growth of the server's resident memory over their number.

    So many of them, eight to a connection, and then some that have a connection each, as programs have.
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
    """Matches that have been played until a seat has answered so often on average.

    What a match takes is the growth of resident memory over the number of matches; what it keeps for bots that come
    back are the bodies that a walk over its room finds, each counted once. Its referee alone, by the same walk, is told
    besides. The journal is a file.
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
