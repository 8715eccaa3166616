"""A machine whose resources are used up: new work waits or is refused, and running matches go on."""

import asyncio
import resource
import time

import psutil
import pytest

from cheatarena.v1 import match_pb2
from tests.faults.http2 import RawConnection
from tests.faults.processes import running_server
from tests.support.server import slow_pace
from tests.support.wire_bot import play_lowest

DESCRIPTORS = 1024
IDLE = 2300
JOIN_TIME_S = 20.0
"""Far more than a join takes on a busy machine; 2 s are wanted, and half a second is enough on a quiet one."""


@pytest.fixture
def _many_descriptors():
    """Let this process open as many connections as the test wants."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < IDLE + 200:
        pytest.skip(f"this process may open {before[1]} descriptors, {IDLE + 200} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[1], 2 * IDLE), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.slow
@pytest.mark.usefixtures("_many_descriptors")
async def test_silent_connections_neither_stop_matches_nor_keep_bots_out_for_long(tmp_path):
    """More than the server has descriptors for, and none of them says a word of HTTP/2."""
    async with running_server(tmp_path) as (server, clients):
        match, bots = await clients.seat_bots("ann", "bob", pace=slow_pace(), game_count=20)
        psutil.Process(server.pid).rlimit(psutil.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        idle = [RawConnection(clients.address) for _ in range(IDLE)]
        opened = await asyncio.gather(*(each.__aenter__() for each in idle), return_exceptions=True)
        try:
            playing = asyncio.gather(*(bot.play(play_lowest) for bot in bots))
            started = time.monotonic()
            newcomer = await clients.open_stream("cid")
            async with asyncio.timeout(JOIN_TIME_S):
                await newcomer.open_session()
            joined_s = time.monotonic() - started
            await playing
            ended = await clients.wait_for_result(match)
        finally:
            for each in opened:
                if isinstance(each, RawConnection):
                    each.writer.transport.abort()

    print(f"a bot joined after {joined_s:.1f} s beside {IDLE} silent connections and {DESCRIPTORS} descriptors")
    assert ended.termination == "finished"
    assert [*ended.strikes] == [match_pb2.Strikes()] * 2
