"""Sends messages over a byte stream, each preceded by its length: four bytes, big-endian."""

import asyncio
import struct
from typing import Final

_LENGTH: Final = struct.Struct(">I")


class StreamTransport:
    """Implements `connection.Transport` on asyncio streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, message: bytes) -> None:
        """Queue a message."""
        self._writer.write(_LENGTH.pack(len(message)) + message)

    async def drain(self) -> None:
        """Return when there is room for more messages. Raises OSError when the other end has gone."""
        await self._writer.drain()

    async def receive(self) -> bytes:
        """Return the next message. Raises EOFError or OSError when the other end has gone."""
        (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
        return await self._reader.readexactly(length)

    def close(self) -> None:
        """Close the stream."""
        self._writer.close()
