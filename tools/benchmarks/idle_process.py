"""Many bots that only stay connected: `python -m tools.benchmarks.idle_process ADDRESS TOKEN PREFIX`.

The command `connect` opens `count` more sessions, `streams` of them on each connection.
"""

import asyncio
import sys
from typing import Any

import grpc.aio

from tools.benchmarks.child import obey
from tools.benchmarks.raw_stream import RawStream, courtesies, new_channel

AT_ONCE = 64
"""The number of sessions that are opened at the same time."""


async def main(address: str, token: str, prefix: str) -> None:
    """Open the requested sessions, until stdin ends."""
    channels: list[grpc.aio.Channel] = []
    attending: list[asyncio.Task[None]] = []

    async def answer(asked: dict[str, Any]) -> dict[str, Any]:
        for first in range(0, asked["count"], AT_ONCE):
            opened: list[RawStream] = []
            for index in range(first, min(first + AT_ONCE, asked["count"])):
                if index % asked["streams"] == 0:
                    channels.append(new_channel(address))
                opened.append(RawStream(channels[-1], token, f"{prefix}{len(attending) + len(opened)}"))
            await asyncio.gather(*(stream.open() for stream in opened))
            attending.extend(asyncio.create_task(_attend(stream)) for stream in opened)
        return {}

    await obey({}, answer)


async def _attend(stream: RawStream) -> None:
    """Answer pings."""
    async for frame in stream.frames():
        await stream.say(courtesies(frame))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
