"""A stranger's bytes take little of the server's memory, whatever frames they are."""

import asyncio
import sys
from contextlib import suppress

import grpc
import pytest

from tests.faults.frame_floods import FLOODS
from tests.faults.processes import running_server
from tests.faults.test_read_memory import memory_mb
from tests.support.server import ServerClients
from tools.benchmarks.child import Child

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the server's memory in /proc")

MOST_MB = 250
"""How much the server may grow. Before connections ended for it, references made it grow by up to 580 MB."""
JOIN_TIME_S = 60.0
"""Far more than a join takes on a busy machine."""
REFERENCES = [kind for kind in FLOODS if "references" in kind]


@pytest.mark.slow
@pytest.mark.parametrize("kind", REFERENCES)
async def test_header_named_again_and_again_takes_little_memory(tmp_path, kind):
    """A byte for each name, in frames of a client that acknowledges no limit."""
    assert await flood(tmp_path, kind) < MOST_MB


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("kind", [each for each in FLOODS if each not in REFERENCES and not each.startswith("TLS")])
async def test_frames_of_every_type_take_little_memory(tmp_path, kind):
    assert await flood(tmp_path, kind) < MOST_MB


async def flood(folder, kind: str) -> int:
    """Return by how many MB a server grows in a flood. It still serves afterwards."""
    async with running_server(folder) as (server, clients):
        flooder = await Child.start("tests.faults.frame_floods", "flood")
        before = most = memory_mb(server.pid)
        flooding = asyncio.create_task(flooder.ask("flood", address=clients.address, kind=kind))
        while not flooding.done():
            most = max(most, memory_mb(server.pid))
            await asyncio.sleep(0.01)
        await flooder.end()
        await _join(clients)
    assert flooding.result()["sent"]
    return most - before


async def _join(clients: ServerClients) -> None:
    """Let a bot join, which dials until it gets its welcome."""
    async with asyncio.timeout(JOIN_TIME_S):
        while True:
            with suppress(TimeoutError, grpc.aio.AioRpcError):
                await clients.connect_bot("ann")
                return
