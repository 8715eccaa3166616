"""The bytes of a line in batches: an actor's call costs far more than what it carries, so few calls carry much."""

import asyncio
import socket
from contextlib import suppress
from typing import Final

PAUSE_S: Final = 0.5
"""Seconds between two batches of a line. No bot waits for them."""
_LOOK_S: Final = 0.05
"""Seconds between two looks for more of a batch: an end that waits for room on its line would lose more if it dies."""
_CHUNK_BYTES: Final = 1 << 20


class BatchReader:
    """Reads from a line at once after a silence, and otherwise all that came during a pause."""

    def __init__(self, line: socket.socket) -> None:
        line.setblocking(False)
        self._line = line
        self._due = 0.0
        """When the next batch may go, on the clock of the event loop."""

    async def read(self) -> bytes:
        """Wait for bytes; return none of them once the other end has gone. Raises OSError."""
        loop = asyncio.get_running_loop()
        data = bytearray(await loop.sock_recv(self._line, _CHUNK_BYTES))
        while data and len(data) < _CHUNK_BYTES and (left := self._due - loop.time()) > 0:
            await asyncio.sleep(min(left, _LOOK_S))
            with suppress(BlockingIOError):
                data += self._line.recv(_CHUNK_BYTES)
        self._due = loop.time() + PAUSE_S
        return bytes(data)
