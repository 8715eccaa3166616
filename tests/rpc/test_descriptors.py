"""While descriptors are scarce, connections that say nothing go first, and no others."""

import asyncio
import socket
import sys
from collections.abc import Iterator

import pytest

from arena.rpc.descriptors import (
    MOST_DESCRIPTORS,
    SILENT_MS,
    SilentConnectionCloser,
    is_silent,
    raise_descriptor_limit,
)
from tests.support.server import LocalServer

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

    await SilentConnectionCloser([site.address]).close_silent(BELOW)

    async with asyncio.timeout(1):
        await silent[0].read()  # to the end
    silent[1].close()
    await site.create_match("ann", "ann")
    await bot.answer_offer()


async def test_connections_of_other_listeners_are_not_touched(pair, site: LocalServer):
    near, far = pair
    await asyncio.sleep(SILENT_MS / 1000 + 0.1)

    await SilentConnectionCloser([site.address]).close_silent(BELOW)
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
