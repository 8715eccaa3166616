"""Relays a bot's streams to a server, and lets a tap read, change, add and drop frames on the way.

The tap sees whole frames as messages, so it can act where a TCP proxy cannot: between two frames, or inside one.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import grpc
from google.rpc import code_pb2

from arena.server.rpc.listeners import SOCKET_MODE
from arena.server.rpc.play_service import SERVICE, read_frame
from arena.server.rpc.refusals import make_status, status_code_of
from cheatarena.addresses import UNIX_PREFIX
from cheatarena.connection import dial
from cheatarena.tls_settings import TlsSettings
from cheatarena.v1 import error_reason_pb2, play_pb2

_METHOD: Final = f"/{SERVICE}/Play"
_PLAINTEXT: Final = TlsSettings(is_insecure=True)
_FORWARDED: Final = ("authorization", "arena-ticket")
_FAREWELL_TIMEOUT_S: Final = 1.0
"""Seconds that a bot has to read the last frame before its stream ends."""


_REFUSAL_CODES: Final = {
    "shutting_down": code_pb2.UNAVAILABLE,
    "unsupported_version": code_pb2.FAILED_PRECONDITION,
}
_LAST_FRAME_S: Final = 0.02
"""Seconds from sending a last frame until the connection is lost."""


class StreamTap:
    """Sees everything that passes between a bot and its server. This tap passes everything on; subclasses need not."""

    def on_opened(self, stream: "RelayedStream") -> None:
        """The tap may end the stream at once."""

    def on_bot_frame(self, stream: "RelayedStream", frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:  # noqa: ARG002  for subclasses
        """Return the frames that the server gets instead."""
        return [frame]

    def on_server_frame(self, stream: "RelayedStream", frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:  # noqa: ARG002  for subclasses
        """Return the frames that the bot gets instead."""
        return [frame]

    def on_delivery(self, frame: play_pb2.PlayResponse) -> None:
        """Handle a frame that the bot gets now, wherever it comes from."""

    def on_closed(self, stream: "RelayedStream") -> None:
        """Called when either side has ended the stream."""


class RelayedStream:
    """A tap may send frames to the bot, or end the stream."""

    def __init__(self, number: int, metadata: Mapping[str, str | bytes]) -> None:
        self.number = number
        """Counts the bot's streams from 1."""
        self.metadata = metadata
        """The bot's metadata for the server: its token and its ticket, if there is one."""
        self.to_bot: asyncio.Queue[play_pb2.PlayResponse | None] = asyncio.Queue()
        self.to_server: asyncio.Queue[play_pb2.PlayRequest | None] = asyncio.Queue()
        """Frames on their way; None is the end of the sender's side."""
        self.end: asyncio.Future[grpc.Status | None] = asyncio.get_running_loop().create_future()
        """The status with which the stream ends; None for a status OK."""

    @property
    def is_over(self) -> bool:
        """Return whether the stream has ended or is about to end."""
        return self.end.done()

    def send(self, frame: play_pb2.PlayResponse) -> None:
        """Send a frame to the bot that the server has not sent."""
        self.to_bot.put_nowait(frame)

    def cut(self) -> None:
        """End the stream as a lost connection does."""
        self.finish(make_status(code_pb2.UNAVAILABLE, "connection lost", ""))

    def cut_after_sending(self) -> None:
        """Lose the connection as soon as the frames of this instant have been sent to the bot."""
        asyncio.get_running_loop().call_later(_LAST_FRAME_S, self.cut)

    def refuse(self, reason: str, text: str) -> None:
        """End the stream as a server does that refuses it; `reason` is a name of `ErrorReason` in lower case."""
        self.finish(make_status(_REFUSAL_CODES[reason], text, reason))

    def say_farewell(self, reason: str, text: str) -> None:
        """End the stream as a server does after Welcome: with a Farewell, then with the status of the same reason."""
        farewell = play_pb2.PlayResponse()
        number = error_reason_pb2.ErrorReason.Value(f"ERROR_REASON_{reason.upper()}")
        farewell.notices.add().farewell.reason = number
        farewell.notices[0].farewell.detail = text
        self.send(farewell)
        self.finish(make_status(status_code_of(reason), text, reason))

    def close(self) -> None:
        """End the stream with the status OK."""
        self.finish(None)

    def finish(self, status: grpc.Status | None) -> None:
        """Do nothing if the stream has ended already."""
        if not self.end.done():
            self.end.set_result(status)


@dataclass(frozen=True, slots=True)
class _RelayedStatus(grpc.Status):
    """The status of the server's call, for the bot's call."""

    code: grpc.StatusCode
    details: str
    trailing_metadata: tuple[tuple[str, str | bytes], ...]


class PlayRelay:
    """Listens on this machine and relays each stream to a server. Use it as a context manager."""

    def __init__(self, server_address: str | None, tap: StreamTap, socket: Path | None = None) -> None:
        """Relay to `server_address`, HOST:PORT of a server that speaks plaintext.

        `socket` is the Unix socket on which to listen for a bot in a box; None means a free port.
        Without a server, only the tap sends frames to the bot, and the bot's frames go no further than the tap.
        """
        self.address = ""
        """The address for the bot, once the relay listens: HOST:PORT, or unix:PATH of the socket if there is one."""
        self._socket = socket
        self._tap = tap
        self._channel = None if server_address is None else dial(_PLAINTEXT, server_address)
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers(
            (
                grpc.method_handlers_generic_handler(
                    SERVICE, {"Play": grpc.stream_stream_rpc_method_handler(self._play)}
                ),
            )
        )
        self._count = 0

    async def __aenter__(self) -> Self:
        if self._socket is None:
            self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
            await self._server.start()
            return self
        self.address = f"{UNIX_PREFIX}{self._socket}"
        self._server.add_insecure_port(self.address)
        await self._server.start()
        self._socket.chmod(SOCKET_MODE)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.stop(0)
        if self._channel is not None:
            await self._channel.close()

    async def _play(self, _: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        metadata = {key: value for key, value in context.invocation_metadata() or () if key in _FORWARDED}
        self._count += 1
        stream = RelayedStream(self._count, metadata)
        self._tap.on_opened(stream)
        if stream.is_over:
            await _finish_call(context, stream)
            return
        call = self._call_server(metadata)
        try:
            await self._relay(stream, context, call)
        finally:
            if call is not None:
                call.cancel()
            stream.close()
            self._tap.on_closed(stream)

    def _call_server(self, metadata: Mapping[str, str | bytes]) -> Any:
        """Return None if there is no server."""
        if self._channel is None:
            return None
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(_METHOD)
        return play(metadata=list(metadata.items()))

    async def _relay(self, stream: RelayedStream, context: grpc.aio.ServicerContext[bytes, bytes], call: Any) -> None:
        """Relay until the stream ends, and end the bot's call as the server or the tap ends it."""
        writing = asyncio.create_task(self._write_to_bot(stream, context))
        tasks = [writing, asyncio.create_task(self._read_from_bot(stream, context))]
        if call is not None:
            tasks += [
                asyncio.create_task(_write_to_server(stream, call)),
                asyncio.create_task(self._read_from_server(stream, call)),
            ]
        for task in tasks:
            task.add_done_callback(_retrieve_exception)
        try:
            await stream.end
            stream.to_bot.put_nowait(None)
            await asyncio.wait({writing}, timeout=_FAREWELL_TIMEOUT_S)
        finally:
            for task in tasks:
                task.cancel()
        await _finish_call(context, stream)

    async def _write_to_bot(self, stream: RelayedStream, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        while (frame := await stream.to_bot.get()) is not None:
            self._tap.on_delivery(frame)
            await context.write(frame.SerializeToString())

    async def _read_from_bot(self, stream: RelayedStream, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        while (raw := await read_frame(context)) is not None:
            for frame in self._tap.on_bot_frame(stream, play_pb2.PlayRequest.FromString(raw)):
                stream.to_server.put_nowait(frame)
        if self._channel is None:
            stream.close()
        else:
            stream.to_server.put_nowait(None)

    async def _read_from_server(self, stream: RelayedStream, call: Any) -> None:
        with suppress(grpc.aio.AioRpcError):
            while isinstance(raw := await call.read(), bytes):
                for frame in self._tap.on_server_frame(stream, play_pb2.PlayResponse.FromString(raw)):
                    stream.to_bot.put_nowait(frame)
        stream.finish(await _status_of(call))


async def _write_to_server(stream: RelayedStream, call: Any) -> None:
    while (frame := await stream.to_server.get()) is not None:
        await call.write(frame.SerializeToString())
    await call.done_writing()


async def _status_of(call: Any) -> grpc.Status | None:
    """Return None for OK."""
    code = await call.code()
    if code is grpc.StatusCode.OK:
        return None
    trailing = tuple((key, value) for key, value in await call.trailing_metadata() or ())
    return _RelayedStatus(code, await call.details() or "", trailing)


async def _finish_call(context: grpc.aio.ServicerContext[bytes, bytes], stream: RelayedStream) -> None:
    status = stream.end.result()
    if status is not None:
        await context.abort_with_status(status)


def _retrieve_exception(task: "asyncio.Future[Any]") -> None:
    """Otherwise asyncio reports the exception when the stream ends."""
    if not task.cancelled():
        task.exception()
