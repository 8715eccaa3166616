"""Implements the client of WatchService, which follows matches as a spectator.

It yields plain values and raises the arena's own errors, so callers need to know nothing about gRPC.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Any, Final, Self

import grpc

from arena.errors import CapacityError, EnvironmentFaultError
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.ports import MatchId
from arena.server.rpc.client_channel import (
    CLIENT_OPTIONS,
    PUBLIC_TLS,
    RECONNECT_TIMEOUT_S,
    RETRY_INTERVAL_S,
    explain_failure,
    open_channel,
)
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.public_reader import PublicReader
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import authorization
from cheatarena.v1 import watch_pb2, watch_pb2_grpc

_LOST: Final = (EnvironmentFaultError, CapacityError)
"""Errors that end a stream although the match goes on: the server is gone, or this client has read too slowly."""


class WatchClient:
    """Follows matches on a server as a spectator. Use it as an asynchronous context manager."""

    def __init__(
        self, address: str, token: str, codecs: Mapping[str, GameCodec], tls: TlsSettings = PUBLIC_TLS
    ) -> None:
        """Connect to a server. The token needs the scope `spectate`; `codecs` are those of all games.

        Raises RequestError for a bad file in `tls`.
        """
        self.address = address
        self._metadata = authorization(token)
        self._codecs = codecs
        self._tls = tls
        self._channel = open_channel(tls, address, CLIENT_OPTIONS)
        self._stub: Any = watch_pb2_grpc.WatchServiceStub(self._channel)

    async def watch(
        self, match_id: MatchId, note_loss: Callable[[Exception], object] = lambda _: None
    ) -> AsyncGenerator[PublicMessage, None]:
        """Yield the public messages of a match until it is over.

        The first one is empty: it comes when the server has agreed, while the match may not have begun. The next one
        may be a snapshot.

        If the connection is lost, call `note_loss` and try for 20 seconds to continue after the last message. Raises
        DeniedError if the token does not permit the call, UnknownNameError if no such match runs (any more),
        CapacityError if there are too many spectators, EnvironmentFaultError if the server cannot be reached, and
        RequestError if this version does not know the terms of the match.
        """
        reader, sequence, lost_at = PublicReader(self._codecs), 0, None
        is_connected = False
        while True:
            try:
                async with aclosing(self._read_stream(reader, match_id, sequence)) as messages:
                    async for message in messages:
                        lost_at = None
                        sequence = max(sequence, message.sequence)
                        if message.sequence > 0 or not is_connected:
                            is_connected = True
                            yield message
            except _LOST as error:
                now = time.monotonic()
                if not is_connected or (lost_at is not None and now - lost_at > RECONNECT_TIMEOUT_S):
                    raise
                if lost_at is None:
                    lost_at = now
                    note_loss(error)
            else:
                return
            await asyncio.sleep(RETRY_INTERVAL_S)

    async def watch_once(self, match_id: MatchId) -> AsyncGenerator[PublicMessage, None]:
        """Yield as `watch` does, but raise the error when the connection is lost."""
        async with aclosing(self._read_stream(PublicReader(self._codecs), match_id, 0)) as messages:
            async for message in messages:
                yield message

    async def _read_stream(
        self, reader: PublicReader, match_id: MatchId, after: int
    ) -> AsyncGenerator[PublicMessage, None]:
        """Yield an empty message when the server has agreed, and then the messages of one stream."""
        is_connected = False
        async with aclosing(self._stream(match_id, after)) as frames:
            async for frame in frames:
                if not is_connected:
                    is_connected = True
                    yield PublicMessage(0, ())
                for message in map(reader.read, frame.messages):
                    yield message

    async def _stream(self, match_id: MatchId, after: int) -> AsyncGenerator[watch_pb2.WatchMatchResponse, None]:
        """Yield the frames of one stream. Raises the error of the arena with which it ends."""
        request = watch_pb2.WatchMatchRequest(match_id=match_id, after_sequence=after)
        stream = self._stub.WatchMatch(request, metadata=self._metadata)
        try:
            while (frame := await stream.read()) is not grpc.aio.EOF:
                yield frame
        except grpc.aio.AioRpcError as error:
            raise await explain_failure(error, self._tls, self.address) from error
        finally:
            stream.cancel()

    async def close(self) -> None:
        """Close the connection."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
