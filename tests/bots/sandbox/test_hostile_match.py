"""Honest bots play in boxes while hostile ones flood their own: no strike for the honest, and no seat for the thief."""

import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram, find_bot
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.bots.sandbox.network.connection_gate import MOST_CONNECTIONS
from arena.server.rpc.listeners import make_socket_path
from cheatarena.v1 import match_pb2
from tests.bots.sandbox.escapes import FLOODS, PRELUDE
from tests.support.boxes import WAIT_S, skip_without_boxes
from tests.support.server import LocalServer, open_server, slow_pace

SAMPLES = Path(__file__).parents[3] / "sample_bots" / "python"
LIMITS = BoxLimits(memory_mb=64, processes=16, cpus=0.2, scratch_mb=8)
AT_ONCE = ("fork bomb", "memory bomb", "tmpfs bomb", "gigabyte of output", "spin on all cores")
THIEF = """
import socket
connections = []
for _ in range(200):
    each = socket.socket(socket.AF_UNIX)
    try:
        each.connect("/run/arena.sock")
    except ConnectionRefusedError:  # the box has reached its limit
        break
    connections.append(each)
print("connected", len(connections), flush=True)
connections.clear()
from cheatarena import Bot, run
class Thief(Bot):
    async def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()
run(Thief)
"""
CALLER = """
import asyncio, os, grpc
from collections import Counter
from contextlib import suppress
from cheatarena.v1 import play_pb2, session_pb2
hello = play_pb2.PlayRequest()
hello.notices.add().hello.CopyFrom(session_pb2.Hello(protocol_version=1, instance="1", capacity=1))
hello.notices[0].hello.games.add(game="cheat")
token = (("authorization", "Bearer " + os.environ["CHEATARENA_TOKEN"]),)
async def play(channel):
    call = channel.stream_stream("/cheatarena.v1.PlayService/Play")(metadata=token)
    with suppress(grpc.aio.AioRpcError):  # a newer stream may have taken the session over
        await call.write(hello.SerializeToString())
        await call.read()
    call.cancel()
async def ask(channel):
    await channel.unary_unary("/grpc.health.v1.Health/Check")(b"")
async def repeat(act, channel):
    while True:
        await act(channel)
        counts[act.__name__] += 1
        if counts[act.__name__] == 32:
            print("began", act.__name__, flush=True)
counts = Counter()
async def main():
    channel = grpc.aio.insecure_channel(os.environ["CHEATARENA_ADDRESS"])
    await asyncio.gather(*[repeat(act, channel) for act in (play, ask) for _ in range(8)])
asyncio.run(main())
"""


class Host:
    """A server with a socket, and a launcher for boxes that show it."""

    def __init__(self, folder: Path, server: LocalServer, socket: Path, launcher: Launcher) -> None:
        self._folder = folder
        self.server = server
        self._launcher = launcher
        self._address = f"unix:{socket}"

    async def start_honest(self, *names: str) -> None:
        """Start sample bots, and wait until they are connected."""
        program = find_bot(str(SAMPLES / "random_legal"))
        assert isinstance(program, BotProgram)
        for name in names:
            token = await self.server.create_token(name)
            boxed = replace(program, is_boxed=True)
            self._launcher.start(boxed, address=self._address, token=token, instance="1", name=name)
        while not {(name, "1") for name in names} <= {*self.server.node.sessions}:
            await asyncio.sleep(0.01)

    async def play(self, *names: str) -> match_pb2.Match:
        """Let bots play three games, and return the match after its end."""
        options = (match_pb2.OptionSetting(name="max_turns", value="200"),)
        match = await self.server.create_match(*names, pace=slow_pace(), options=options, game_count=3)
        request = match_pb2.WaitForResultRequest(match_id=match.match_id)
        metadata = self.server.organizing
        ended: match_pb2.Match = (
            await self.server.matches.WaitForResult(request, metadata=metadata, timeout=4 * WAIT_S)
        ).match
        return ended

    def start_hostile(self, name: str, code: str, token: str, limits: BoxLimits = LIMITS) -> BotProcess:
        """Start a hostile program."""
        folder = self._folder / name.replace(" ", "-")
        folder.mkdir()
        (folder / "bot.py").write_text(code)
        program = BotProgram(name, (sys.executable, "-u", str(folder / "bot.py")), folder, limits=limits, is_boxed=True)
        return self._launcher.start(program, address=self._address, token=token, instance="1")


async def wait_for_lines(process: BotProcess, count: int) -> None:
    """Wait until a program has printed this many lines."""
    async with asyncio.timeout(WAIT_S):
        while len(process.tail()) < count:
            await asyncio.sleep(0.01)


async def open_host(stack: AsyncExitStack, folder: Path) -> Host:
    await asyncio.to_thread(folder.chmod, 0o755)
    socket = stack.enter_context(make_socket_path())
    server = await stack.enter_async_context(open_server(folder / "data", listen=(f"unix:{socket}",)))
    launcher = Launcher(folder / "output", open_boxes=BubblewrapBackend, cap_bytes=1_000_000)
    stack.push_async_callback(asyncio.to_thread, launcher.close, 0.5)
    return Host(folder, server, socket, launcher)


async def test_honest_bots_get_no_strike_beside_floods(tmp_path):
    """All floods run while the match is played."""
    skip_without_boxes()
    async with AsyncExitStack() as stack:
        host = await open_host(stack, tmp_path)
        await host.start_honest("ann", "bob")
        for name in AT_ONCE:
            code = (PRELUDE + "say('began')\n" + FLOODS[name]).format(outside={})
            await wait_for_lines(host.start_hostile(name, code, "none"), 1)

        ended = await host.play("ann", "bob")

        assert (ended.termination, len(ended.games)) == ("finished", 3)
        assert [*ended.strikes] == [match_pb2.Strikes()] * 2


@pytest.mark.slow
async def test_honest_bots_get_no_strike_beside_a_flood_of_calls(tmp_path):
    skip_without_boxes()
    async with AsyncExitStack() as stack:
        host = await open_host(stack, tmp_path)
        await host.start_honest("ann", "bob")
        caller = host.start_hostile("caller", CALLER, await host.server.create_token("caller"), BoxLimits())
        await wait_for_lines(caller, 2)

        ended = await host.play("ann", "bob")

        assert (ended.termination, [*ended.strikes]) == ("finished", [match_pb2.Strikes()] * 2)
        assert not caller.wait(0), caller.tail()


async def test_program_that_connects_as_somebody_else_is_refused(tmp_path):
    """It reaches the server's socket like every box, and it has no token but its own."""
    skip_without_boxes()
    async with AsyncExitStack() as stack:
        host = await open_host(stack, tmp_path)
        await host.start_honest("ann")
        thief = host.start_hostile("thief", THIEF, "cat_" + "a" * 46)
        assert await asyncio.to_thread(thief.wait, WAIT_S), thief.tail()
        await host.start_honest("bob")

        assert thief.exit_code == 77, thief.tail()  # the SDK's exit code for a token that is refused
        assert f"connected {MOST_CONNECTIONS}" in thief.tail(50)
        assert {name for name, _ in host.server.node.sessions} == {"ann", "bob"}
