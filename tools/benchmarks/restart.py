"""Measures how long it takes after a kill until a new server has taken up all unfinished matches."""

import asyncio
import secrets
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import replace

from arena.match.referee.match_order import MatchOrder
from arena.server.rpc.client import OrganizerClient
from tools.benchmarks.child import Child
from tools.benchmarks.row import Figure
from tools.benchmarks.server_process import GAME_COUNT, PACE
from tools.benchmarks.site import BOTS, start

GOAL_S = 3.0
IN_FLIGHT = 4
"""The most matches that are created at the same time."""
ORDER = MatchOrder(("one", "one", "two", "two"), game_count=GAME_COUNT, pace=PACE, is_rated=False)


async def restart(count: int, seconds: float) -> list[Figure]:
    """Play `count` matches for some seconds, kill the server, start another, and wait until all matches continue.

    The bots are two programs on the SDK, which reconnect by themselves. They play on as soon as their first match
    continues. So the server plays the first matches while it takes up the last ones.
    """
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        server = await Child.start("tools.benchmarks.server_process", folder, "--records")
        stack.push_async_callback(server.end)
        address, tokens = server.first["address"], server.first["tokens"]
        for name in BOTS:
            await start(stack, "bots", address, tokens[name])
        await server.wait_for(lambda counted: counted["sessions"] == len(BOTS))
        await _create(address, tokens["organizer"], count)
        await asyncio.sleep(seconds)
        played = await server.ask("count")
        assert played["matches"] == count
        await server.end()

        started_s = time.monotonic()
        second = await start(stack, "server", folder, "--records", "--port", address.rpartition(":")[2])
        ready_s = time.monotonic() - started_s
        await second.wait_for(lambda counted: counted["matches"] == count)
        passed_s = time.monotonic() - started_s
        late = await second.ask("count")
    remark = f"{played['decisions']} decisions before, {late['strikes']} strikes"
    return [
        Figure(f"restart-{count}, ready", "s", ready_s, remark="with the start of Python"),
        Figure(f"restart-{count}, all matches go on", "s", passed_s, GOAL_S, remark=remark),
    ]


async def _create(address: str, token: str, count: int) -> None:
    places = asyncio.Semaphore(IN_FLIGHT)

    async def create_one(organizer: OrganizerClient) -> None:
        async with places:
            await organizer.create_match(replace(ORDER, key=secrets.token_hex(16)))

    async with OrganizerClient(address, token) as organizer:
        await asyncio.gather(*(create_one(organizer) for _ in range(count)))
