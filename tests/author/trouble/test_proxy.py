"""The proxy measures for how long a client has no connection."""

import asyncio

from arena.author.trouble.proxy import Proxy


async def test_gaps_without_a_connection_are_measured():
    """The client is cut off, refused once, and comes back."""
    writers = list[asyncio.StreamWriter]()
    server = await asyncio.start_server(lambda _, writer: writers.append(writer), "127.0.0.1", 0)
    async with server, Proxy(f"127.0.0.1:{server.sockets[0].getsockname()[1]}") as proxy:
        writers.append(await connect(proxy))
        proxy.cut(refuses=True)
        await until(lambda: not proxy._open)
        back = asyncio.create_task(proxy.wait_for_gaps(1))
        writers.append(await connect(proxy))
        await asyncio.sleep(0.05)
        assert not back.done()
        proxy.cut()
        writers.append(await connect(proxy, count=2))
        async with asyncio.timeout(10):
            await back

        (gap_s,) = proxy.gaps_s
        await until(lambda: len(writers) == 5)
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0)

    assert proxy.connection_count == 2, "a refused connection is none"
    assert gap_s >= 0.05


async def connect(proxy: Proxy, count: int = 1) -> asyncio.StreamWriter:
    """Connect, and wait until the proxy has had `count` connections."""
    host, _, port = proxy.address.rpartition(":")
    _, writer = await asyncio.open_connection(host, int(port))
    await until(lambda: proxy.connection_count == count)
    return writer


async def until(is_so) -> None:
    async with asyncio.timeout(10):
        while not is_so():
            await asyncio.sleep(0.005)
