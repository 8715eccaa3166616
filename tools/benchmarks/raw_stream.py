"""A stream that uses only the generated messages, for clients that misbehave or are too many for the SDK."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import grpc.aio

import cheatarena  # noqa: F401  the same poller as the arena's
from cheatarena.connection import PLAY_METHOD
from cheatarena.v1 import play_pb2, session_pb2

_numbers = itertools.count(1)


def new_channel(address: str) -> grpc.aio.Channel:
    """Return a channel with its own connection. Channels with equal options would share a connection."""
    return grpc.aio.insecure_channel(address, options=[("benchmark.channel", next(_numbers))])


class RawStream:
    """One stream of a session."""

    def __init__(self, channel: grpc.aio.Channel, token: str, instance: str = "one", capacity: int = 10_000) -> None:
        play: Any = channel.stream_stream(PLAY_METHOD)
        self._call = play(metadata=[("authorization", f"Bearer {token}")])
        self._writing = asyncio.Lock()
        games = [session_pb2.GameSupport(game="cheat")]
        self._hello = session_pb2.Hello(protocol_version=1, instance=instance, games=games, capacity=capacity)

    async def open(self) -> None:
        """Send hello and read the welcome. Raises ConnectionError if there is no welcome."""
        with suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):
            await self.say(play_pb2.PlayRequest(notices=[play_pb2.BotNotice(hello=self._hello)]))
            if isinstance(await self._call.read(), bytes):
                return
        raise ConnectionError(await self._call.details())

    async def say(self, request: play_pb2.PlayRequest) -> None:
        async with self._writing:  # a call takes one write at a time
            await self._call.write(request.SerializeToString())

    async def frames(self) -> AsyncIterator[play_pb2.PlayResponse]:
        while isinstance(raw := await self._call.read(), bytes):
            yield play_pb2.PlayResponse.FromString(raw)


def courtesies(frame: play_pb2.PlayResponse) -> play_pb2.PlayRequest:
    """Return the request that accepts every seat offered in a frame and answers its pings."""
    reply = play_pb2.PlayRequest()
    for notice in frame.notices:
        if notice.HasField("offered"):
            answer = reply.notices.add().offer_answer
            answer.offer_id, answer.accept = notice.offered.offer_id, True
        elif notice.HasField("ping"):
            reply.notices.add().pong.nonce = notice.ping.nonce
    return reply
