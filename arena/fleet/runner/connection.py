"""The private connection of a runner and a node. Each end can call the other and send it notices.

    Hello     first, from both ends: the version of this protocol
    Call      a method with its arguments; answered by a Reply or a Failure of the same id, with the arena's error
    Notice    a method with its arguments; never answered, and handled in the order in which it was sent

Calls are answered in the order in which they finish. Both ends trust each other. `node_services` declares the services.
Each message is preceded by its length: four bytes, big-endian.
"""

import asyncio
import struct
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Any, Final

import msgspec

from arena.errors import ArenaError, EnvironmentFaultError, ProtocolError
from arena.fleet.runner.service import Handler, Handlers, Method
from arena.plain_errors import PlainError, describe_error, restore_error

PROTOCOL_VERSION: Final = 6
"""An end refuses another end of a different version."""
_LENGTH: Final = struct.Struct(">I")
_READ_BYTES: Final = 1 << 18
_LOST: Final = "the other end of the line has gone"


class LineCutError(EnvironmentFaultError):
    """The other end has gone."""


class StreamTransport:
    """Carries whole messages in order over a byte stream, each exactly once, or fails permanently."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._begun = bytearray()
        """What has come of the next message."""

    def send(self, message: bytes) -> None:
        self._writer.write(_LENGTH.pack(len(message)) + message)

    async def drain(self) -> None:
        """Wait until there is room for more messages. Raises OSError when the other end has gone."""
        await self._writer.drain()

    async def receive(self) -> list[bytes]:
        """Wait for the next messages, and return all that are here. Raises EOFError or OSError without another end."""
        while not (messages := self._split()):
            data = await self._reader.read(_READ_BYTES)
            if not data:
                raise EOFError
            self._begun += data
        return messages

    def _split(self) -> list[bytes]:
        """Take the whole messages out of what has come."""
        messages, begun, at = list[bytes](), self._begun, 0
        while len(begun) - at >= _LENGTH.size:
            start = at + _LENGTH.size
            end = start + _LENGTH.unpack_from(begun, at)[0]
            if end > len(begun):
                break
            messages.append(bytes(begun[start:end]))
            at = end
        del begun[:at]
        return messages

    def close(self) -> None:
        self._writer.close()


class _Hello(msgspec.Struct, frozen=True, tag="hello"):
    version: int


class _Call(msgspec.Struct, frozen=True, tag="call"):
    id: int
    method: str
    arguments: msgspec.Raw


class _Reply(msgspec.Struct, frozen=True, tag="reply"):
    id: int
    value: msgspec.Raw


class _Failure(msgspec.Struct, frozen=True, tag="failure"):
    id: int
    error: PlainError


class _Notice(msgspec.Struct, frozen=True, tag="notice"):
    method: str
    arguments: msgspec.Raw


_Message = _Hello | _Call | _Reply | _Failure | _Notice
_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(_Message)


def _decode(data: bytes) -> _Message:
    """Raises ProtocolError."""
    try:
        message: _Message = _decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise ProtocolError(f"a message from the other process cannot be read: {error}") from error
    return message


def _check_hello(message: _Message) -> None:
    """Raise ProtocolError unless the other end begins with a Hello of the same version."""
    if message != _Hello(PROTOCOL_VERSION):
        raise ProtocolError(f"the other process must begin with {_Hello(PROTOCOL_VERSION)}, got {message}")


class Connection:
    """One end of the connection. `run` reads messages until the other end has gone. Implements `service.Caller`."""

    def __init__(self, transport: StreamTransport) -> None:
        self._transport = transport
        self._handlers: Handlers = {}
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[msgspec.Raw]] = {}
        """Futures of the pending replies, by call id."""
        self._answering: set[asyncio.Task[None]] = set()
        self._is_lost = False
        transport.send(_encoder.encode(_Hello(PROTOCOL_VERSION)))

    async def call(self, method: Method, arguments: Mapping[str, Any]) -> Any:
        """Raises what the method raises, and LineCutError."""
        call_id, reply = next(self._ids), asyncio.get_running_loop().create_future()
        self._waiting[call_id] = reply
        try:
            self._send(_Call(call_id, method.name, method.encode_arguments(arguments)))
            await self._drain()
            return method.decode_result(await reply)
        finally:
            del self._waiting[call_id]

    def notify(self, method: Method, arguments: Mapping[str, Any]) -> None:
        """Do nothing when the other end has gone."""
        with suppress(LineCutError):
            self._send(_Notice(method.name, method.encode_arguments(arguments)))

    async def run(self, handlers: Handlers) -> None:
        """Handle messages until the other end has gone. Calls that still wait for a reply then fail.

        `handlers` has a handler for each method that the other end may call, by method name.
        Raises ProtocolError if the other end has another version or sends an unreadable message.
        """
        self._handlers = handlers
        lost = LineCutError(_LOST)
        try:
            hello, *messages = await self._transport.receive()
            _check_hello(_decode(hello))
            while True:
                for message in messages:
                    self._handle_message(_decode(message))
                messages = await self._transport.receive()
        except (EOFError, OSError):
            return
        except ProtocolError as error:
            # For callers that wait, the connection is lost: their requests were not wrong, and no bot is to blame.
            lost = LineCutError(str(error))
            raise
        finally:
            self._fail_waiting(lost)

    async def wait_until_answered(self) -> None:
        """Wait until every call from the other end has finished, whether or not that end still waits for the reply."""
        while self._answering:
            await asyncio.wait(self._answering)

    def close(self) -> None:
        self._fail_waiting(LineCutError(_LOST))
        self._transport.close()

    def _handle_message(self, message: _Message) -> None:
        match message:
            case _Call():
                task = asyncio.create_task(self._answer(message))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)
            case _Notice():
                self._find_handler(message.method, is_call=False).handle(message.arguments)
            case _Reply() if (reply := self._find_waiting(message.id)) is not None:
                reply.set_result(message.value)
            case _Failure() if (reply := self._find_waiting(message.id)) is not None:
                reply.set_exception(restore_error(message.error))

    def _find_handler(self, name: str, *, is_call: bool) -> Handler:
        handler = self._handlers.get(name)
        if handler is None or handler.method.is_call is not is_call:
            raise ProtocolError(f"the other process called {name!r}, which this one does not have")
        return handler

    def _find_waiting(self, call_id: int) -> "asyncio.Future[msgspec.Raw] | None":
        reply = self._waiting.get(call_id)
        return None if reply is None or reply.done() else reply

    async def _answer(self, call: _Call) -> None:
        answer: _Reply | _Failure
        try:
            answer = _Reply(call.id, await self._find_handler(call.method, is_call=True).answer(call.arguments))
        except ArenaError as error:
            answer = _Failure(call.id, describe_error(error))
        except Exception as error:  # noqa: BLE001  the error is sent to the caller, which fails with it
            wrapped = ArenaError(f"{call.method}: {type(error).__name__}: {error}")
            answer = _Failure(call.id, describe_error(wrapped))
        with suppress(LineCutError):
            self._send(answer)
            await self._drain()

    def _send(self, message: _Message) -> None:
        if self._is_lost:
            raise LineCutError(_LOST)
        self._transport.send(_encoder.encode(message))

    async def _drain(self) -> None:
        try:
            await self._transport.drain()
        except OSError as error:
            raise LineCutError(_LOST) from error

    def _fail_waiting(self, error: ArenaError) -> None:
        self._is_lost = True
        for reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(error)
