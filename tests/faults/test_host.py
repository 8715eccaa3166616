"""Processes that stand still, and disks that are full, locked or read-only: matches go on, and nothing is lost."""

import asyncio
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.cli.exit_codes import ExitCode
from cheatarena.v1 import match_pb2
from tests.faults.processes import running_server, sdk_bot
from tests.support.commands import start_command
from tests.support.server import ServerClients, slow_pace
from tests.support.wire_bot import WireBot, new_channel, play_lowest

DISK_MB = 8
LOCKED_S = 10.0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return the folder of a file system of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a disk of its own needs the right to mount one")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


async def wait_for_health(address: str, status: int) -> None:
    async with new_channel(address) as channel, asyncio.timeout(30):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        while (await stub.Check(health_pb2.HealthCheckRequest())).status != status:
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_bot_that_stands_still_harms_only_itself(tmp_path):
    """It is stopped for some of its turns, keeps its connection, and plays on afterwards."""
    async with running_server(tmp_path / "data") as (_, clients):
        near = await clients.connect_bot("near")
        token = await clients.create_token("stopped")
        with sdk_bot(tmp_path / "bots", clients.address, token) as process:
            await _until_connected(clients, "stopped")
            pace = slow_pace(turn_ms=1_000, call_ms=1_000, max_auto_moves=50)
            match = await clients.create_match("stopped", "near", pace=pace)
            playing = asyncio.ensure_future(near.play(play_lowest))
            while len(near.messages) < 20:
                await asyncio.sleep(0.005)

            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(3)
            process.send_signal(signal.SIGCONT)
            await playing
            ended = await clients.wait_for_result(match)

    stopped, other = ended.strikes
    assert other == match_pb2.Strikes()
    assert stopped.missing + stopped.late > 0
    assert (ended.termination, stopped.gone) == ("finished", 0)
    assert ended.figures[0].values["decisions"] > stopped.missing


async def _until_connected(clients: ServerClients, *names: str) -> None:
    async with asyncio.timeout(60):
        while True:
            with suppress(Exception):
                made = await clients.create_match(*names, *names, pace=slow_pace())
                request = match_pb2.CancelMatchRequest(match_id=made.match_id)
                await clients.matches.CancelMatch(request, metadata=clients.organizing)
                return
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_full_disk_pauses_matches_until_there_is_room(small_disk):
    """Nothing is acknowledged meanwhile, health says so, and the server goes on by itself."""
    states = health_pb2.HealthCheckResponse
    pace = slow_pace(turn_ms=3_000, call_ms=3_000)
    async with running_server(small_disk / "data") as (_, clients):
        match, bots = await clients.seat_bots("ann", "bob", pace=pace, game_count=30)
        playing = [asyncio.ensure_future(bot.play(play_lowest)) for bot in bots]
        await _wait_for_messages(bots, 200)

        _fill(small_disk / "ballast")
        await wait_for_health(clients.address, states.NOT_SERVING)
        await asyncio.sleep(0.5)
        paused = [len(bot.messages) for bot in bots]
        await asyncio.sleep(4)  # longer than a turn
        assert [len(bot.messages) for bot in bots] == paused

        (small_disk / "ballast").unlink()
        await wait_for_health(clients.address, states.SERVING)
        await asyncio.gather(*playing)
        ended = await clients.wait_for_result(match)

    assert (ended.termination, len(ended.games)) == ("finished", 30)
    assert [*ended.strikes] == [match_pb2.Strikes()] * 2
    for bot in bots:
        assert [message.sequence for message in bot.messages] == [*range(1, len(bot.messages) + 1)]


def _fill(path: Path) -> None:
    """Write until there is no room for another byte."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 12))


async def _wait_for_messages(bots: list[WireBot], count: int) -> None:
    async with asyncio.timeout(60):
        while min(len(bot.messages) for bot in bots) < count:
            await asyncio.sleep(0.005)


@pytest.mark.slow
async def test_store_that_is_locked_for_ten_seconds_keeps_its_results(tmp_path):
    """The match goes on, since decisions are in the journal; its result comes as soon as the store is free."""
    states = health_pb2.HealthCheckResponse
    async with running_server(tmp_path) as (_, clients):
        match, bots = await clients.seat_bots("ann", "bob", pace=slow_pace())
        with closing(sqlite3.connect(tmp_path / "arena.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
            await asyncio.sleep(LOCKED_S)
            await wait_for_health(clients.address, states.NOT_SERVING)
        ended = await clients.wait_for_result(match)
        await wait_for_health(clients.address, states.SERVING)

    assert (ended.termination, len(ended.games)) == ("finished", 1)
    assert [*ended.strikes] == [match_pb2.Strikes()] * 2


@pytest.mark.slow
def test_server_says_that_its_folder_is_read_only(small_disk):
    """One line, and no traceback."""
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with start_command("serve", "--data", small_disk / "data") as server:
        code = server.wait_for_exit(30)

    assert code == ExitCode.UNSTEADY
    assert len(server.err) == 1
    assert server.err[0].startswith("arena: ")
