"""A TCP proxy that delays both directions: `python -m tools.benchmarks.delay_process ADDRESS SECONDS`."""

import asyncio
import sys
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from typing import Any

from tools.benchmarks.child import obey

CHUNK = 1 << 16


async def main(address: str, delay: str) -> None:
    """Forward connections until stdin ends."""
    host, _, port = address.rpartition(":")
    delay_s = float(delay)

    async def forward(reader: StreamReader, writer: StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        await asyncio.gather(_copy(reader, far_writer, delay_s), _copy(far_reader, writer, delay_s))

    async def answer(_: dict[str, Any]) -> dict[str, Any]:
        return {}

    async with await asyncio.start_server(forward, "127.0.0.1", 0) as server:
        port_here = server.sockets[0].getsockname()[1]
        await obey({"address": f"127.0.0.1:{port_here}"}, answer)


async def _copy(reader: StreamReader, writer: StreamWriter, delay_s: float) -> None:
    """Write everything after a delay, and read on meanwhile."""
    loop = asyncio.get_running_loop()
    with suppress(ConnectionError):
        while data := await reader.read(CHUNK):
            loop.call_later(delay_s, writer.write, data)
    loop.call_later(delay_s, writer.close)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
