"""While descriptors are scarce, connections without a call of an identified caller end, and no others."""

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

import pytest

from arena.server.guards import descriptors
from arena.server.guards.connections import IdentifiedCalls, make_endpoint
from arena.server.guards.crowded_boxes import MOST_CONNECTIONS
from arena.server.guards.descriptors import (
    MOST_DESCRIPTORS,
    SILENT_MS,
    IdleConnectionCloser,
    is_silent,
    raise_descriptor_limit,
)
from arena.server.node.limits import Limits
from tests.support.server import LocalServer, open_server

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a connection has sent")

BELOW = 4096
"""Above every descriptor of this process."""


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Return a client's end and the server's end of a connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_connection(listening.getsockname()) as near:
        far, _ = listening.accept()
        with far:
            yield near, far


async def test_connection_is_silent_only_after_a_while(pair):
    _, far = pair

    assert not is_silent(far)
    await asyncio.sleep(SILENT_MS / 1000 + 0.1)
    assert is_silent(far)


@pytest.mark.parametrize(("sent", "is_so"), [(b"PRI", True), (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", False)])
async def test_client_that_has_begun_is_not_silent(pair, sent, is_so):
    near, far = pair
    near.sendall(sent)
    await asyncio.sleep(SILENT_MS / 1000 + 0.1)

    assert is_silent(far) is is_so


async def test_silent_connections_are_closed_and_bots_stay(site: LocalServer):
    host, _, port = site.address.rpartition(":")
    bot = await site.connect_bot("ann")
    silent = await asyncio.open_connection(host, int(port))
    await asyncio.sleep(SILENT_MS / 1000 + 0.1)

    await IdleConnectionCloser([site.address], IdentifiedCalls()).close_idle(BELOW)

    async with asyncio.timeout(20):
        await silent[0].read()  # to the end
    silent[1].close()
    await site.create_match("ann", "ann")
    await bot.answer_offer()


async def test_connections_of_other_listeners_are_not_touched(pair, site: LocalServer):
    near, far = pair
    await asyncio.sleep(SILENT_MS / 1000 + 0.1)

    await IdleConnectionCloser([site.address], IdentifiedCalls()).close_idle(BELOW)
    near.sendall(b"hi")

    assert far.recv(2) == b"hi"


@pytest.mark.parametrize(
    ("soft", "hard", "raised"),
    [
        (1024, 4096, (4096, 4096)),
        (1024, 1 << 20, (MOST_DESCRIPTORS, 1 << 20)),
        (1024, resource.RLIM_INFINITY, (MOST_DESCRIPTORS, resource.RLIM_INFINITY)),
        (4096, 4096, None),
        (1 << 20, 1 << 20, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None),
    ],
)
def test_limit_of_descriptors_is_raised_as_far_as_it_may_and_never_lowered(monkeypatch, soft, hard, raised):
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: limits.append(limit))

    raise_descriptor_limit()

    assert limits == ([] if raised is None else [raised])


@pytest.fixture
def begin_http2(site: LocalServer) -> Iterator[Callable[[str], socket.socket]]:
    """Return a function that opens a connection from an address of this machine, begins HTTP/2, and calls nothing."""
    with ExitStack() as stack:
        yield lambda source: stack.enter_context(_begin_http2(site, source))


def _begin_http2(site: LocalServer, source: str) -> socket.socket:
    host, _, port = site.address.rpartition(":")
    connection = socket.create_connection((host, int(port)), source_address=(source, 0))
    connection.settimeout(0.2)
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5))
    return connection


def is_ended(connection: socket.socket) -> bool:
    """Return whether the server has ended a connection, after reading what it has sent."""
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    return True


async def count_ended(connections: list[socket.socket]) -> int:
    """Return how many connections the server has ended."""
    return sum(await asyncio.gather(*(asyncio.to_thread(is_ended, each) for each in connections)))


async def test_idle_connections_end_and_streams_stay(site: LocalServer, begin_http2, monkeypatch):
    """A connection that carries the stream of a bot stays, however many idle ones its address has."""
    bot = await site.connect_bot("ann")
    idle = [begin_http2("127.0.0.1") for _ in range(5)]
    monkeypatch.setattr(descriptors, "IDLE_S", 0.3)
    monkeypatch.setattr(descriptors, "descriptor_limit", lambda: BELOW)
    monkeypatch.setattr(descriptors, "find_free_descriptor", lambda limit: limit)

    async with asyncio.timeout(20):
        for each in idle:
            while not await asyncio.to_thread(is_ended, each):
                pass
    await asyncio.sleep(1)  # more checks

    monkeypatch.undo()
    await site.create_match("ann", "ann")
    await bot.answer_offer()


async def test_address_with_the_most_idle_connections_loses_its_oldest_first(
    site: LocalServer, begin_http2, monkeypatch
):
    monkeypatch.setattr(descriptors, "IDLE_S", 0)
    monkeypatch.setattr(descriptors, "FREED_SHARE", 0)  # one at a time
    other = begin_http2("127.0.0.2")
    greedy = [begin_http2("127.0.0.3") for _ in range(8)]
    await asyncio.sleep(0.2)  # until the server has accepted them

    await IdleConnectionCloser([site.address], IdentifiedCalls()).close_idle(BELOW)

    assert [await asyncio.to_thread(is_ended, each) for each in (other, *greedy)] == [False, True] + [False] * 7


async def test_address_keeps_only_so_many_idle_connections_at_any_time(tmp_path, monkeypatch):
    """Each could hold 3 MB of the server, with calls whose answers nobody reads. Nobody else loses a connection."""
    monkeypatch.setattr(descriptors, "CROWD_INTERVAL_S", 0.1)
    limits = replace(Limits(), connections_an_address=MOST_CONNECTIONS, binds_loopback=True)
    async with open_server(tmp_path, limits) as site:
        with ExitStack() as stack:
            bot = await site.connect_bot("ann")
            other = stack.enter_context(_begin_http2(site, "127.0.0.2"))
            greedy = [
                stack.enter_context(_begin_http2(site, "127.0.0.3")) for _ in range(limits.connections_an_address + 4)
            ]
            async with asyncio.timeout(20):
                while await count_ended(greedy) < 4:
                    pass

            assert [await asyncio.to_thread(is_ended, each) for each in (*greedy[:5], other)] == [True] * 4 + [
                False
            ] * 2
            await site.create_match("ann", "ann")
            await bot.answer_offer()


@pytest.mark.slow
async def test_proxy_keeps_all_its_connections(tmp_path, monkeypatch):
    """Behind it are many clients, whose calls it spreads over its connections."""
    monkeypatch.setattr(descriptors, "CROWD_INTERVAL_S", 0.1)
    limits = replace(Limits(), connections_an_address=MOST_CONNECTIONS, binds_loopback=True)
    async with open_server(tmp_path, limits, proxies=("127.0.0.3",)) as site:
        with ExitStack() as stack:
            others, behind = (
                [stack.enter_context(_begin_http2(site, source)) for _ in range(limits.connections_an_address + 4)]
                for source in ("127.0.0.2", "127.0.0.3")
            )
            async with asyncio.timeout(20):
                while await count_ended(others) < 4:
                    pass

            assert await count_ended(behind) == 0


@contextmanager
def no_free_descriptor() -> Iterator[None]:
    """Take every descriptor that this process may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(MOST_CONNECTIONS)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(taken) + 8, hard))
    with suppress(OSError):
        while True:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in taken:
            os.close(each)


async def test_connections_are_counted_while_no_descriptor_is_free():
    """Otherwise the server would stop when it has as many connections as it can have."""
    closer = IdleConnectionCloser(["127.0.0.1:1", "unix:/nowhere"], IdentifiedCalls())
    with no_free_descriptor():
        await closer.end_crowds()


async def test_call_is_known_while_its_handler_runs():
    calls = IdentifiedCalls()

    async def handle() -> None:
        calls.note("ipv4:192.0.2.7:4711")
        calls.note("ipv4:192.0.2.7:4711")
        assert calls.endpoints() == {("192.0.2.7", 4711)}

    await asyncio.create_task(handle())
    await asyncio.sleep(0)

    assert not calls.endpoints()


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv6:%5B2001:db8::1%5D:9", "2001:db8::1"),
        ("ipv6:%5Bfe80::1%252%5D:9", "fe80::1"),
        ("ipv4:192.0.2.7:9", "::ffff:192.0.2.7"),
    ],
)
async def test_peer_of_a_call_is_the_peer_of_its_socket(peer, host):
    calls = IdentifiedCalls()

    async def handle() -> None:
        calls.note(peer)
        assert calls.endpoints() == {make_endpoint(host, 9)}

    await asyncio.create_task(handle())
