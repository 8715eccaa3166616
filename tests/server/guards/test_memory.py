"""When the memory surges, connections that can be the reason end, and no others."""

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from arena.server.guards.connections import IdentifiedCalls
from arena.server.guards.memory import STRANGER_BYTES, MemoryGuard
from tests.faults.http2 import PREFACE, SETTINGS, UNKNOWN, frame
from tests.support.server import LocalServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a connection has sent")

CALL = PREFACE + frame(SETTINGS, 0, 0)
FLOOD = CALL + frame(UNKNOWN, 0, 0, bytes(STRANGER_BYTES))


@pytest.fixture
def connections(site: LocalServer) -> Iterator[list[socket.socket]]:
    """Return a stranger who has begun HTTP/2, and three that have sent more than a stranger's call takes."""
    host, _, port = site.address.rpartition(":")
    with ExitStack() as stack:
        opened = []
        for number, data in enumerate((CALL, FLOOD, FLOOD, FLOOD), 2):
            dialled = socket.create_connection((host, int(port)), source_address=(f"127.0.0.{number}", 0))
            opened.append(stack.enter_context(dialled))
            dialled.settimeout(0.2)
            dialled.sendall(data)
        yield opened


def is_ended(connection: socket.socket) -> bool:
    """Return whether the server has ended a connection, after reading what it has sent."""
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True
    return True


async def test_strangers_who_have_sent_much_end_and_others_stay(site: LocalServer, connections):
    """Others have sent little, or have a call of an identified caller, or are a proxy."""
    bot, identified = await site.connect_bot("ann"), IdentifiedCalls()
    identified.note("ipv4:{}:{}".format(*connections[2].getsockname()))
    guard = MemoryGuard([site.address], identified, lambda address: address == "127.0.0.5")

    async with asyncio.timeout(20):
        while not guard.end_senders():
            await asyncio.sleep(0.01)
    assert [await asyncio.to_thread(is_ended, each) for each in connections] == [False, True, False, False]
    await site.create_match("ann", "ann")
    await bot.answer_offer()
