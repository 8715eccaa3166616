"""HTTP/2 by hand, for calls that no gRPC client would make."""

import asyncio
from contextlib import suppress
from typing import Self

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import Event
from h2.exceptions import ProtocolError
from hpack import Encoder

from cheatarena.v1 import play_pb2, session_pb2

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
"""Types of frames (RFC 9113, section 6)."""
UNKNOWN = 0x77
"""A type of frames that HTTP/2 does not know, so the server has to ignore them (RFC 9113, section 5.5)."""
END_STREAM, ACK, END_HEADERS = 1, 1, 4
CANCEL = (8).to_bytes(4)
"""The error code of a stream that its caller no longer wants."""


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return a frame (RFC 9113, section 4.1)."""
    return len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4) + payload


def grpc_message(message: bytes, *, is_compressed: bool = False) -> bytes:
    """Return a message with the prefix of gRPC: whether it is compressed, and its length."""
    return bytes((is_compressed,)) + len(message).to_bytes(4) + message


def call_headers(method: str, token: str = "", *more: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the headers of a call."""
    who = [("authorization", f"Bearer {token}")] if token else []
    return [
        (":method", "POST"), (":scheme", "http"), (":authority", "arena"), (":path", method),
        ("content-type", "application/grpc"), ("te", "trailers"), *who, *more,
    ]  # fmt: skip


def header_block(headers: list[tuple[str, str]]) -> bytes:
    """Return a header block that depends on no earlier one, so that it can be sent again and again."""
    encoder = Encoder()
    encoder.header_table_size = 0
    encoder.encode([])  # says once that the table is empty, which is not wanted in every block
    return bytes(encoder.encode(headers, huffman=False))


def hello_message(instance: str) -> bytes:
    """Return the first message of a bot that plays Cheat."""
    games = [session_pb2.GameSupport(game="cheat")]
    hello = session_pb2.Hello(protocol_version=1, instance=instance, games=games, capacity=10)
    return play_pb2.PlayRequest(notices=[play_pb2.BotNotice(hello=hello)]).SerializeToString()


class RawConnection:
    """A connection of a client that may do as it likes, as an asynchronous context manager."""

    def __init__(self, address: str, source: str = "") -> None:
        """`address` is HOST:PORT; `source` is the own address, any of 127.0.0.0/8."""
        host, _, port = address.rpartition(":")
        self._target = host, int(port)
        self._source = (source, 0) if source else None
        self.http = H2Connection(H2Configuration(header_encoding=None, validate_outbound_headers=False))

    async def __aenter__(self) -> Self:
        self._reader, self.writer = await asyncio.open_connection(*self._target, local_addr=self._source)
        return self

    async def __aexit__(self, *error: object) -> None:
        self.writer.transport.abort()
        with suppress(OSError):
            await self.writer.wait_closed()

    async def greet(self) -> None:
        """Begin HTTP/2, and wait for the server to do so."""
        self.http.initiate_connection()
        await self.flush()
        await self.receive()

    def call(self, method: str, token: str = "", *more: tuple[str, str]) -> int:
        """Begin a call, and return its stream."""
        stream: int = self.http.get_next_available_stream_id()
        self.http.send_headers(stream, call_headers(method, token, *more))
        return stream

    def send(self, stream: int, message: bytes, *, is_last: bool = False) -> None:
        """Send a message, which has to fit into the stream's window."""
        data = grpc_message(message)
        for first in range(0, len(data), 1 << 14):
            part = data[first : first + (1 << 14)]
            self.http.send_data(stream, part, end_stream=is_last and first + len(part) == len(data))

    async def flush(self) -> None:
        """Send everything that was prepared. Raises ConnectionError."""
        self.writer.write(self.http.data_to_send())
        await self.writer.drain()

    async def write(self, data: bytes) -> None:
        """Send bytes as they are. Raises ConnectionError."""
        self.writer.write(data)
        await self.writer.drain()

    async def receive(self) -> list[Event]:
        """Return what the server sends next. Raises ConnectionError at the end of the connection."""
        data = await self._reader.read(1 << 16)
        if not data:
            raise ConnectionResetError("the server has closed the connection")
        try:
            events: list[Event] = self.http.receive_data(data)
        except ProtocolError as error:
            raise ConnectionAbortedError(str(error)) from error
        await self.flush()
        return events

    async def answer_pings(self) -> None:
        """Read and forget, but answer pings, until the task is cancelled. Raises EOFError if the connection ends."""
        while True:
            head = await self._reader.readexactly(9)
            payload = await self._reader.readexactly(int.from_bytes(head[:3]))
            if head[3] == PING and not head[4] & ACK:
                await self.write(frame(PING, ACK, 0, payload))

    async def read_to_end(self) -> None:
        """Read and forget, until the server closes the connection."""
        with suppress(OSError):
            while await self._reader.read(1 << 16):
                pass
