"""Honest bots play in boxes while hostile ones flood their own: no strike for the honest, and no seat for the thief."""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from arena.launch.box_limits import BoxLimits
from arena.launch.process import BotProcess, Launcher
from arena.launch.programs import BotProgram, find_bot
from arena.rpc.listeners import make_socket_path
from arena.sandbox.bubblewrap import BubblewrapBackend
from cheatarena.v1 import match_pb2
from tests.sandbox.escapes import FLOODS, PRELUDE
from tests.support.boxes import WAIT_S, skip_without_boxes
from tests.support.server import LocalServer, open_server, slow_pace

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
LIMITS = BoxLimits(memory_mb=64, processes=16, cpus=0.2, scratch_mb=8)
AT_ONCE = ("fork bomb", "memory bomb", "tmpfs bomb", "gigabyte of output", "spin on all cores")
THIEF = """
import socket
connections = []
for _ in range(200):
    each = socket.socket(socket.AF_UNIX)
    each.connect("/run/arena.sock")
    connections.append(each)
print("connected", flush=True)
from cheatarena import Bot, run
class Thief(Bot):
    async def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()
run(Thief)
"""


class Host:
    """A server with a socket, and a launcher for boxes that show it."""

    def __init__(self, folder: Path, server: LocalServer, launcher: Launcher) -> None:
        self._folder = folder
        self.server = server
        self._launcher = launcher

    async def start_honest(self, *names: str) -> None:
        """Start sample bots, and wait until they are connected."""
        program = find_bot(str(SAMPLES / "random_legal"))
        assert isinstance(program, BotProgram)
        for name in names:
            token = await self.server.create_token(name)
            self._launcher.start(program, address=self.server.address, token=token, instance="1", name=name)
        while not {(name, "1") for name in names} <= {*self.server.node.sessions}:
            await asyncio.sleep(0.01)

    def start_hostile(self, name: str, code: str, token: str) -> BotProcess:
        """Start a hostile program."""
        folder = self._folder / name.replace(" ", "-")
        folder.mkdir()
        (folder / "bot.py").write_text(code)
        program = BotProgram(name, (sys.executable, "-u", str(folder / "bot.py")), folder, limits=LIMITS)
        return self._launcher.start(program, address=self.server.address, token=token, instance="1")


async def open_host(stack: AsyncExitStack, folder: Path) -> Host:
    await asyncio.to_thread(folder.chmod, 0o755)
    socket = stack.enter_context(make_socket_path())
    server = await stack.enter_async_context(open_server(folder / "data", listen=(f"unix:{socket}",)))
    launcher = Launcher(folder / "output", backend=BubblewrapBackend(socket), cap_bytes=1_000_000)
    stack.push_async_callback(asyncio.to_thread, launcher.close, 0.5)
    return Host(folder, server, launcher)


async def test_honest_bots_get_no_strike_beside_floods(tmp_path):
    """All floods run while the match is played."""
    skip_without_boxes()
    async with AsyncExitStack() as stack:
        host = await open_host(stack, tmp_path)
        await host.start_honest("ann", "bob")
        hostile = [host.start_hostile(name, (PRELUDE + FLOODS[name]).format(outside={}), "none") for name in AT_ONCE]

        options = (match_pb2.OptionSetting(name="max_turns", value="200"),)
        match = await host.server.create_match("ann", "bob", pace=slow_pace(), options=options, game_count=3)
        request = match_pb2.WaitForResultRequest(match_id=match.match_id)
        metadata = host.server.organizing
        ended = (await host.server.matches.WaitForResult(request, metadata=metadata, timeout=4 * WAIT_S)).match

        assert (ended.termination, len(ended.games)) == ("finished", 3)
        assert [*ended.strikes] == [match_pb2.Strikes()] * 2
        assert len(hostile) == len(AT_ONCE)


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
        assert "connected" in thief.tail(50)
        assert {name for name, _ in host.server.node.sessions} == {"ann", "bob"}
