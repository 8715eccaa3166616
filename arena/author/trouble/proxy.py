"""A TCP proxy that imitates a bad network: it delays, slows down, holds back and cuts what passes through it.

It never loses or reorders bytes, because TCP would send them again and put them in order. A network that drops packets
for five seconds looks to programs like one that holds everything back for five seconds.
"""

import asyncio
import ssl
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from random import Random
from typing import Final, Self

CHUNK_BYTES: Final = 1 << 14
POLL_S: Final = 0.01
WAITING_CHUNKS: Final = 64
"""The most chunks on the way in one direction. Any more wait in the sender's own buffers."""


_PAGE: Final = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Reception(Enum):
    """What becomes of a new connection."""

    FORWARDED = auto()
    RESET = auto()
    CUT = auto()
    """The line reads the first 100 bytes, within which a TLS handshake is, and closes the connection."""
    SILENT = auto()
    """Nothing is read, and nothing comes back."""
    PAGE = auto()
    """A page says that the server is away, as web servers in front of one do."""


@dataclass
class Weather:
    """What happens to the bytes of one direction. Changes take effect at the next chunk. Times are in seconds."""

    delay_s: float = 0.0
    jitter_s: float = 0.0
    """Each chunk takes up to this much longer, at random."""
    bytes_a_second: float | None = None
    """The bandwidth; None means no limit."""
    chunk_count: int = 0
    """How many chunks have come so far."""


class Proxy:
    """Forwards connections to a server. Use it as an asynchronous context manager."""

    def __init__(self, target: str, random: Random | None = None, tls: ssl.SSLContext | None = None) -> None:
        """`target` is HOST:PORT of the server. `random` draws the jitter; by default it is seeded with 1.

        With `tls`, clients speak TLS to the proxy, which speaks plaintext to the server.
        """
        host, _, port = target.rpartition(":")
        self._target = host, int(port)
        self.up, self.down = Weather(), Weather()
        """The weather on the way to the server, and from it."""
        self.address = ""
        """HOST:PORT at which clients reach the server through this proxy."""
        self.connection_count = 0
        """How many connections there were."""
        self.gaps_s: list[float] = []
        """The length in seconds of each gap, from the loss of the last connection to the next one."""
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._reception = Reception.FORWARDED
        self._tls = tls
        self._open: set[asyncio.StreamWriter] = set()
        self._closed_at: float | None = None
        """When the last connection was lost; None while there is one, and before the first."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._random = random or Random(1)  # noqa: S311  no secret

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def hold(self) -> None:
        """Stop forwarding, even the end of a connection, so both sides believe that it is still open."""
        self._flowing.clear()

    def release(self) -> None:
        """Forward again, beginning with what was held back."""
        self._flowing.set()

    def cut(self, *, refuses: bool = False) -> None:
        """Reset all connections. With `refuses`, reset new ones too, until the next call without it."""
        self.turn_away(Reception.RESET if refuses else Reception.FORWARDED)

    def turn_away(self, reception: Reception) -> None:
        """Reset all connections, and treat new ones in this way until the next call."""
        self._reception = reception
        for writer in list(self._open):
            writer.transport.abort()

    async def wait_for_gaps(self, count: int) -> None:
        """Wait until this many gaps are over."""
        while len(self.gaps_s) < count:  # noqa: ASYNC110  nothing announces a connection
            await asyncio.sleep(POLL_S)

    def _forwards(self) -> bool:
        return self._reception is Reception.FORWARDED

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._forwards():
            await self._receive(reader, writer)
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        if not self._forwards():  # since it began to dial
            writer.transport.abort()
            far_writer.transport.abort()
            return
        self.connection_count += 1
        if self._closed_at is not None:
            self.gaps_s.append(asyncio.get_running_loop().time() - self._closed_at)
            self._closed_at = None
        self._open |= {writer, far_writer}
        for pump in (self._pump(reader, far_writer, self.up), self._pump(far_reader, writer, self.down)):
            task = asyncio.create_task(pump)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Treat a connection that is not forwarded."""
        match self._reception:
            case Reception.CUT:
                await reader.read(100)
                writer.close()
            case Reception.PAGE:
                writer.write(_PAGE)
                writer.close()
            case Reception.SILENT:
                self._open.add(writer)  # the next call of `turn_away` resets it
            case _:
                writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, weather: Weather) -> None:
        """Forward one direction of a connection, and then its end."""
        chunks: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(WAITING_CHUNKS)
        reading = asyncio.create_task(self._read(reader, chunks, weather))
        try:
            with suppress(OSError):
                await self._write(writer, chunks, weather)
        finally:
            reading.cancel()
            writer.close()
            self._open.discard(writer)
            if not self._open:
                self._closed_at = asyncio.get_running_loop().time()

    async def _read(
        self, reader: asyncio.StreamReader, chunks: "asyncio.Queue[tuple[float, bytes]]", weather: Weather
    ) -> None:
        """Queue each chunk with the time at which it may be passed on. An empty chunk is the end."""
        clock, data = asyncio.get_running_loop().time, b"-"
        while data:
            try:
                data = await reader.read(CHUNK_BYTES)
            except OSError:
                data = b""
            weather.chunk_count += 1
            late_s = weather.delay_s + self._random.uniform(0, weather.jitter_s)
            await chunks.put((clock() + late_s, data))

    async def _write(
        self, writer: asyncio.StreamWriter, chunks: "asyncio.Queue[tuple[float, bytes]]", weather: Weather
    ) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            due, data = await chunks.get()
            await asyncio.sleep(max(0.0, due - clock()))
            await self._flowing.wait()
            if not data:
                return
            if weather.bytes_a_second is None:
                writer.write(data)
                await writer.drain()
            else:
                await self._trickle(writer, data, weather)

    async def _trickle(self, writer: asyncio.StreamWriter, data: bytes, weather: Weather) -> None:
        """Write byte by byte for as long as the bandwidth is limited."""
        for index in range(len(data)):
            if weather.bytes_a_second is None:
                writer.write(data[index:])
                break
            writer.write(data[index : index + 1])
            await writer.drain()
            await asyncio.sleep(1 / weather.bytes_a_second)
