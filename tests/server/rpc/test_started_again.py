"""Programs of real bots that are killed in mid match and started again, without a setting that names them."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest

from arena.server.node.bot_line import STEP_S
from arena.server.node.line_watch import SILENCE_S
from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import play_lowest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are otherwise killed")

BOT = """
from cheatarena import Bot, run

class Mine(Bot):
    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()

run(Mine)
"""


@pytest.fixture
async def ann(site: LocalServer, tmp_path: Path) -> dict[str, str]:
    """Return the environment of ann's programs."""
    (tmp_path / "bot.py").write_text(BOT)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CHEATARENA_")}
    return kept | {"CHEATARENA_ADDRESS": site.address, "CHEATARENA_TOKEN": await site.create_token("ann")}


@contextmanager
def running(folder: Path, environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    program = subprocess.Popen([sys.executable, folder / "bot.py"], env=environment, stderr=subprocess.DEVNULL)
    try:
        yield program
    finally:
        program.kill()
        program.wait(10)


@asynccontextmanager
async def half_open_proxy(address: str) -> AsyncIterator[str]:
    """Relay bytes to a server, and keep the connection to it open when a bot has gone. Yield the proxy's address."""
    host, port = address.rsplit(":", 1)
    async with AsyncExitStack() as connections:

        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            from_server, to_server = await asyncio.open_connection(host, int(port))
            connections.callback(to_server.close)
            connections.callback(writer.close)
            await asyncio.gather(copy(reader, to_server), copy(from_server, writer))

        proxy = await asyncio.start_server(relay, "127.0.0.1")
        connections.callback(proxy.close)
        yield f"127.0.0.1:{proxy.sockets[0].getsockname()[1]}"


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            with suppress(ConnectionError):
                writer.write(data)
                await writer.drain()


async def wait_for_sessions(site: LocalServer, name: str, count: int) -> None:
    async with asyncio.timeout(60):
        while sum(key[0] == name for key in site.node.sessions) != count:
            await asyncio.sleep(0.01)


async def test_killed_program_plays_its_match_to_the_end_when_it_is_started_again(site: LocalServer, ann, tmp_path):
    pace = slow_pace(reconnect_grace_ms=60_000)
    bob = await site.connect_bot("bob")
    with running(tmp_path, ann):
        await wait_for_sessions(site, "ann", 1)
        match = await site.create_match("ann", "bob", pace=pace, game_count=2)
        await bob.play(play_lowest, stop=lambda _: len(bob.accepted) >= 5)
    await wait_for_sessions(site, "ann", 0)

    with running(tmp_path, ann):
        await bob.play(play_lowest)
        ended = await site.wait_for_result(match)

    assert (ended.termination, len(ended.games)) == ("finished", 2)
    assert not any(strikes.missing for strikes in ended.strikes)


async def test_two_programs_of_one_token_that_start_together_both_play(site: LocalServer, ann, tmp_path):
    with running(tmp_path, ann), running(tmp_path, ann):
        await wait_for_sessions(site, "ann", 2)
        first, second = (f"ann/{key[1]}" for key in site.node.sessions)
        match = await site.create_match(first, second, pace=slow_pace(), unrated=True)
        ended = await site.wait_for_result(match)

    assert ended.termination == "finished"


async def test_program_whose_old_line_is_kept_open_gets_its_seats_back(site: LocalServer, ann, tmp_path):
    """Until the old line is silent for long enough, the program cannot be told from a second copy of it."""
    pace = slow_pace(turn_ms=2_000, reconnect_grace_ms=60_000, max_auto_moves=50)
    bob = await site.connect_bot("bob")
    async with half_open_proxy(site.address) as proxy:
        with running(tmp_path, ann | {"CHEATARENA_ADDRESS": proxy}):
            await wait_for_sessions(site, "ann", 1)
            first = next(key for key in site.node.sessions if key[0] == "ann")
            match = await site.create_match("ann", "bob", pace=pace, game_count=2)
            await bob.play(play_lowest, stop=lambda _: len(bob.accepted) >= 5)
        with running(tmp_path, ann):
            await wait_for_sessions(site, "ann", 2)
            dead = site.node.sessions[first]
            for _ in range(int(SILENCE_S / STEP_S) + 1):
                await bob.send()
                await asyncio.sleep(0.05)
                site.node.line_watch.look()
            assert dead.ended.result()[0] == "silent"

            await bob.play(play_lowest)
            ended = await site.wait_for_result(match)
            given = {key[1] for key in site.node.sessions if key[0] == "ann"}

    assert (ended.termination, len(ended.games)) == ("finished", 2)
    assert given == {first[1]}
