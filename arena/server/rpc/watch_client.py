"""The client of WatchService, which follows matches as a spectator.

It yields plain values and raises the arena's own errors, so callers need to know nothing about gRPC.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Final

import grpc

from arena.errors import CapacityError, EnvironmentFaultError
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.ports import MatchId
from arena.server.rpc.client_channel import PUBLIC_TLS, ServiceClient
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.public_reader import PublicReader
from cheatarena.patience import Patience
from cheatarena.tls_settings import TlsSettings
from cheatarena.v1 import watch_pb2, watch_pb2_grpc

_LOST: Final = (EnvironmentFaultError, CapacityError)
"""Errors that end a stream although the match goes on: the server is gone, or this client has read too slowly."""


class WatchClient(ServiceClient):
    """The token needs the scope `spectate`."""

    stub_kind = watch_pb2_grpc.WatchServiceStub

    def __init__(
        self, address: str, token: str, codecs: Mapping[str, GameCodec], tls: TlsSettings = PUBLIC_TLS
    ) -> None:
        """`codecs` are those of all games. Raises RequestError for a bad file in `tls`."""
        super().__init__(address, token, tls)
        self._codecs = codecs

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
        reader, sequence, patience = PublicReader(self._codecs), 0, Patience()
        is_connected = False
        while True:
            try:
                async with aclosing(self._read_stream(reader, match_id, sequence)) as messages:
                    async for message in messages:
                        patience.renew()
                        sequence = max(sequence, message.sequence)
                        if message.sequence > 0 or not is_connected:
                            is_connected = True
                            yield message
            except _LOST as error:
                is_new = patience.is_fresh
                if not is_connected or not patience.lasts():
                    raise
                if is_new:
                    note_loss(error)
            else:
                return
            await patience.pause()

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
        """Raises the error of the arena with which the stream ends."""
        request = watch_pb2.WatchMatchRequest(match_id=match_id, after_sequence=after)
        stream = self._stub.WatchMatch(request, metadata=self._metadata)
        try:
            while (frame := await self._answer(stream.read())) is not grpc.aio.EOF:
                yield frame
        finally:
            stream.cancel()
