"""A bot that misbehaves: `python -m tools.benchmarks.neighbour_process KIND ADDRESS TOKEN`.

It accepts every offered seat and answers pings. If the server ends its stream, it reconnects immediately.
"""

import asyncio
import os
import sys
import time
from contextlib import suppress
from typing import Any

import grpc.aio

from cheatarena.v1 import cheat_pb2, decision_pb2, play_pb2
from tools.benchmarks.child import obey
from tools.benchmarks.raw_stream import RawStream, courtesies, new_channel

NICENESS = 5
"""The priority at which the arena launches bots."""
PAUSE_S = 0.5
"""Seconds between two frames that a slow reader reads."""
UNASKED_A_SECOND = 5_000
BURST = 50
"""Messages per frame in a flood of large frames."""


class Neighbour:
    """One session of the bot. Its streams follow one another."""

    def __init__(self, kind: str, address: str, token: str) -> None:
        self._kind = kind
        self._channel = new_channel(address)
        self._token = token
        self._stream: RawStream | None = None
        self.streams = 0
        """The number of streams so far."""
        self._seat: tuple[int, int] | None = None

    async def run(self) -> None:
        """Connect and read frames, and connect again whenever the stream ends."""
        while True:
            stream = RawStream(self._channel, self._token)
            with suppress(ConnectionError, asyncio.InvalidStateError, grpc.aio.AioRpcError):
                await stream.open()
                self._stream = stream
                self.streams += 1
                await self._listen(stream)
            self._stream = None
            await asyncio.sleep(0.01)

    async def _listen(self, stream: RawStream) -> None:
        async for frame in stream.frames():
            reply = courtesies(frame)
            if reply.notices:
                await stream.say(reply)
            for message in frame.messages:
                self._seat = message.match, message.entrant
            if self._kind == "slow" and self._seat:
                await asyncio.sleep(PAUSE_S)

    async def flood(self, burst: int) -> None:
        """Send unrequested decisions, `burst` of them in each frame."""
        said, started_s = 0, time.monotonic()
        while True:
            await asyncio.sleep(0.002)
            wanted = int((time.monotonic() - started_s) * UNASKED_A_SECOND)
            for _ in range((wanted - said) // burst):
                said += burst
                if self._stream is not None:
                    with suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):
                        await self._stream.say(play_pb2.PlayRequest(decisions=[self._nonsense()] * burst))

    def _nonsense(self) -> decision_pb2.Decision:
        match, entrant = self._seat or (1, 0)
        declined = cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_DECLINE)
        return decision_pb2.Decision(match=match, entrant=entrant, prompt_id=1, action_id=1, cheat=declined)


def burn(seconds: float) -> None:
    """Keep a core busy for this many seconds."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        pass


async def main(kind: str, address: str, token: str) -> None:
    """Misbehave until stdin ends."""
    neighbour = Neighbour(kind, address, token)
    working = [asyncio.create_task(neighbour.run())]
    while not neighbour.streams:
        await asyncio.sleep(0.01)

    async def answer(asked: dict[str, Any]) -> dict[str, Any]:
        if asked["command"] == "begin" and kind.startswith("flood"):
            working.append(asyncio.create_task(neighbour.flood(BURST if kind == "flood" else 1)))
        if asked["command"] == "begin" and kind == "burn":
            asyncio.get_running_loop().call_soon(burn, asked["seconds"])
        return {"streams": neighbour.streams}

    await obey({}, answer)
    for task in working:
        task.cancel()


if __name__ == "__main__":
    if sys.argv[1] == "burn":
        os.nice(NICENESS)
    asyncio.run(main(*sys.argv[1:]))
