"""A bare grpc.aio echo, which shows the speed of the transport: `... echo_process server` or `... echo_process client`.

A message has 100 bytes, about as many as a prompt or a decision. A frame is a batch of messages.
"""

import asyncio
import sys
import time
from typing import Any

import grpc.aio

import cheatarena  # noqa: F401  the same poller as the arena's
from tools.benchmarks.child import obey

MESSAGE = bytes(100)
METHOD = "/echo.Echo/Echo"


async def _echo(_: Any, context: "grpc.aio.ServicerContext[bytes, bytes]") -> None:
    while isinstance(raw := await context.read(), bytes):
        await context.write(raw)


async def serve() -> None:
    """Send every frame back, until stdin ends."""
    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(_echo)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("echo.Echo", {"Echo": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()

    async def answer(asked: dict[str, Any]) -> dict[str, Any]:
        return {"cpu_s": time.process_time()}

    await obey({"address": f"127.0.0.1:{port}"}, answer)
    await server.stop(0)


async def call() -> None:
    """Send frames and wait for their echoes, on as many streams as a command asks for."""

    async def answer(asked: dict[str, Any]) -> dict[str, Any]:
        frame = MESSAGE * asked["batch"]
        async with grpc.aio.insecure_channel(asked["address"]) as channel:
            until_s = time.perf_counter() + asked["seconds"]
            trips = [_trips(channel, frame, until_s) for _ in range(asked["streams"])]
            return {"trips_s": [trip for each in await asyncio.gather(*trips) for trip in each]}

    await obey({}, answer)


async def _trips(channel: grpc.aio.Channel, frame: bytes, until_s: float) -> list[float]:
    """Return the seconds of each round trip of one stream."""
    echo: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(METHOD)
    stream = echo()
    trips = []
    started_s = time.perf_counter()
    while started_s < until_s:
        await stream.write(frame)
        await stream.read()
        now_s = time.perf_counter()
        trips.append(now_s - started_s)
        started_s = now_s
    stream.cancel()
    return trips


if __name__ == "__main__":
    asyncio.run(serve() if sys.argv[1] == "server" else call())
