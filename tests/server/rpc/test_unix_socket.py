"""A server on Unix sockets: the same contract as elsewhere, and no peer there can lock the others out."""

import asyncio
import socket
import stat
import sys
from asyncio.subprocess import PIPE
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from arena.errors import CapacityError, OptionError, PortBusyError
from arena.server.guards import descriptors
from arena.server.guards.connections import IdentifiedCalls
from arena.server.guards.crowded_boxes import MOST_CONNECTIONS
from arena.server.guards.descriptors import IdleConnectionCloser
from arena.server.node.addresses import UNIX_PEER
from arena.server.node.admission import AdmissionControl
from arena.server.node.limits import Limits
from arena.server.rpc.listeners import MAX_SOCKET_BYTES, make_socket_path, plan_unix_listeners
from tests.support.server import open_server
from tests.support.wire_bot import WireBot

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="boxes need Linux")


@pytest.fixture
def path():
    with make_socket_path() as place:
        yield place


async def connect_bot(stack: AsyncExitStack, path: Path, token: str, instance: str = "one") -> WireBot:
    bot = await stack.enter_async_context(WireBot(f"unix:{path}", token))
    await bot.open_session(instance=instance)
    return bot


async def test_bots_on_the_socket_and_on_the_port_play_with_each_other(tmp_path, path):
    """The socket is one more way in, with tokens as everywhere."""
    async with open_server(tmp_path, listen=(f"unix:{path}",)) as site, AsyncExitStack() as stack:
        near = await connect_bot(stack, path, await site.create_token("ann"))
        far = await site.connect_bot("bob")

        await site.create_match("ann", "bob")
        await near.answer_offer()
        await far.answer_offer()

        assert set(site.node.sessions) == {("ann", "one"), ("bob", "one")}
        assert site.server.sockets == [f"unix:{path}"]
        assert site.server.address.startswith("127.0.0.1:"), "the port stays the address for others"


async def test_socket_needs_a_token(tmp_path, path):
    async with open_server(tmp_path, listen=(f"unix:{path}",)) as site, AsyncExitStack() as stack:
        bot = await stack.enter_async_context(WireBot(f"unix:{path}", "cat_" + "x" * 46))
        with pytest.raises(grpc.aio.AioRpcError):
            await bot.open_session()

        assert (await bot.wait_for_end()).code == grpc.StatusCode.UNAUTHENTICATED
        assert not site.node.sessions


async def test_everybody_may_connect_and_nobody_may_list_the_folder(tmp_path, path):
    """A bot in a box is another user. The socket vanishes with the server."""
    place = path.parent / "new" / "arena.sock"
    async with open_server(tmp_path, listen=(f"unix:{place}",)):
        assert stat.S_IMODE(place.stat().st_mode) == 0o666
        assert stat.S_IMODE(place.parent.stat().st_mode) & 0o077 == 0o011

    assert not place.exists()


async def test_socket_of_a_killed_server_is_replaced(tmp_path, path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))

    async with open_server(tmp_path, listen=(f"unix:{path}",)) as site, AsyncExitStack() as stack:
        await connect_bot(stack, path, await site.create_token("ann"))


async def test_socket_in_use_and_other_files_are_not_replaced(tmp_path, path):
    async with open_server(tmp_path / "one", listen=(f"unix:{path}",)):
        with pytest.raises(PortBusyError, match="is taken by another server"):
            await _open(tmp_path / "two", path)
    path.write_text("a file")

    with pytest.raises(PortBusyError):
        await _open(tmp_path / "three", path)
    assert path.read_text() == "a file"


async def _open(data: Path, path: Path) -> None:
    async with open_server(data, listen=(f"unix:{path}",)):
        pass


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("unix:", "must be an absolute path"),
        ("unix:arena.sock", "must be an absolute path"),
        ("unix:/" + "x" * MAX_SOCKET_BYTES, "must be a path of at most 107 bytes"),
    ],
)
def test_bad_path_is_refused(address, words):
    with pytest.raises(OptionError, match=words):
        plan_unix_listeners([address])


async def test_streams_on_the_socket_are_counted_by_token(tmp_path, path):
    """They all have the same name in gRPC, so without the token one bot could take the streams of all."""
    async with open_server(tmp_path, listen=(f"unix:{path}",)) as site, AsyncExitStack() as stack:
        greedy = await site.create_token("greedy")
        for number in range(site.node.limits.streams_a_connection):
            await connect_bot(stack, path, greedy, str(number))
        refused = await stack.enter_async_context(WireBot(f"unix:{path}", greedy))
        with pytest.raises(grpc.aio.AioRpcError):
            await refused.open_session(instance="one too many")

        await connect_bot(stack, path, await site.create_token("honest"))

        assert ("honest", "one") in site.node.sessions


def test_connections_on_the_socket_share_no_limit_of_an_address():
    """They would share it with every other box, also where peers on this machine are limited."""
    limits = replace(Limits(), connections_an_address=2, binds_loopback=True)
    admission = AdmissionControl(limits, lambda: 0)

    with ExitStack() as streams:
        for number in range(5):
            streams.enter_context(admission.admit_stream(f"unix:{number}", UNIX_PEER))


def test_invitations_are_limited_on_the_socket():
    """A bot in a box needs none, and must not try them out."""
    admission = AdmissionControl(replace(Limits(), redemptions_a_minute=2), lambda: 0)
    for _ in range(2):
        admission.admit_redemption(UNIX_PEER)

    with pytest.raises(CapacityError, match="2 invitations within a minute"):
        admission.admit_redemption(UNIX_PEER)


CROWD = f"""
import os, socket, sys
crowd = [socket.socket(socket.AF_UNIX) for _ in range({MOST_CONNECTIONS + 1})]
for each in crowd:
    CONNECT
    each.send(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
print("crowd", flush=True)
for each in crowd:
    while each.recv(4096):
        pass
print("ended", flush=True)
"""
"""A program that opens too many connections, and begins HTTP/2 on each of them."""
CONNECT = "each.connect(sys.argv[1])"
CONNECT_BY_CHILD = """
    child = os.fork()
    if child == 0:
        each.connect(sys.argv[1])
        os._exit(0)
    os.waitid(os.P_PID, child, OPTIONS)
"""


def write_crowd(connect: str = CONNECT) -> str:
    return CROWD.replace("CONNECT", connect)


async def test_crowd_of_one_program_is_ended_while_descriptors_are_scarce(tmp_path, path, monkeypatch):
    """A program with far too many connections loses them, and a neighbour keeps its own."""
    monkeypatch.setattr(descriptors, "CROWD_INTERVAL_S", 0.1)
    async with open_server(tmp_path, listen=(f"unix:{path}",)) as site, AsyncExitStack() as stack:
        honest = await connect_bot(stack, path, await site.create_token("ann"))
        program = await asyncio.create_subprocess_exec(sys.executable, "-c", write_crowd(), path, stdout=PIPE)
        assert program.stdout is not None
        assert await program.stdout.readline() == b"crowd\n"
        with pytest.raises(TimeoutError):  # it is in no box, so the server leaves it alone
            await asyncio.wait_for(program.stdout.readline(), 1)
        await IdleConnectionCloser([f"unix:{path}"], IdentifiedCalls()).close_idle(4096)

        assert await program.stdout.readline() == b"ended\n"
        await program.wait()
        assert ("ann", "one") in site.node.sessions
        assert honest is not None


@pytest.mark.parametrize(
    "connect",
    [
        CONNECT,
        CONNECT_BY_CHILD.replace("OPTIONS", "os.WEXITED"),
        CONNECT_BY_CHILD.replace("OPTIONS", "os.WEXITED | os.WNOWAIT"),
    ],
    ids=["by itself", "by children that are gone", "by children that have ended"],
)
async def test_crowd_of_a_container_is_ended_at_any_time(tmp_path, path, connect):
    """The server does so by itself, no matter who made the container or which control group it has."""
    container = ("unshare", "--user", "--map-root-user", "--pid", "--fork")
    if await (await asyncio.create_subprocess_exec(*container, "true", stderr=PIPE)).wait():
        pytest.skip("this machine lets nobody make a namespace for processes")
    async with open_server(tmp_path, Limits(silent_s=600), listen=(f"unix:{path}",)):
        program = await asyncio.create_subprocess_exec(
            *container, sys.executable, "-c", write_crowd(connect), path, stdout=PIPE
        )
        assert program.stdout is not None
        assert await program.stdout.readline() == b"crowd\n"

        async with asyncio.timeout(20):
            assert await program.stdout.readline() == b"ended\n"
        await program.wait()
