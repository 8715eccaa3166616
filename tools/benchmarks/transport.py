"""Measures a bare gRPC echo, to show what the transport alone can do on this machine."""

import asyncio
from contextlib import AsyncExitStack

from tools.benchmarks.row import Figure, quantile
from tools.benchmarks.site import start

ECHO_P50 = "echo-single p50"
"""The name of the round trip with which the answer of a match alone is compared."""


async def echo(name: str, streams: int, batch: int, seconds: float) -> list[Figure]:
    """Send frames of `batch` messages of 100 bytes. Each stream sends a frame when its last one has come back."""
    clients = min(2, streams)
    wanted = {"streams": streams // clients, "batch": batch}
    async with AsyncExitStack() as stack:
        server = await start(stack, "echo", "server")
        started = [await start(stack, "echo", "client") for _ in range(clients)]
        wanted["address"] = server.first["address"]
        await asyncio.gather(*(client.ask("run", seconds=seconds / 4, **wanted) for client in started))
        cpu_s = (await server.ask("count"))["cpu_s"]
        heard = await asyncio.gather(*(client.ask("run", seconds=seconds, **wanted) for client in started))
        cpu_s = (await server.ask("count"))["cpu_s"] - cpu_s
    trips_s = [trip for each in heard for trip in each["trips_s"]]
    count = max(1, len(trips_s) * batch)
    return [
        Figure(f"{name} rate", "/s", count / seconds, is_more_better=True),
        Figure(f"{name} server", "us", cpu_s / count * 1e6),
        Figure(f"{name} p50", "ms", quantile(trips_s, 0.5) * 1e3),
    ]
