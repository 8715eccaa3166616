"""The sample bots in other languages leave as they are told to, and find their seats again when they were killed."""

import asyncio
import signal
import sys
from asyncio.subprocess import Process
from contextlib import asynccontextmanager

import pytest

from arena.competition.pools.pool_settings import PoolSettings
from cheatarena.v1 import match_pb2
from tests.sample_bots.bot_process import (
    assert_clean,
    connected_bot,
    read_end,
    start_bot,
    stop_bot,
    wait_for_result,
)
from tests.support.server import LocalServer, open_server, slow_pace

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the builds are for a Unix shell"),
]

LONG_POOL = PoolSettings(
    name="pair", seats=2, rules={"max_turns": 10}, pace_settings={"turn_ms": 60_000, "call_ms": 800}
)
"""A match takes about ten windows."""


async def wait_for_match(site: LocalServer, process: Process) -> None:
    """Wait until a match has begun."""
    while not any(hosted.is_running for hosted in site.node.registry.matches.values()):
        assert process.returncode is None, await read_end(process)
        await asyncio.sleep(0.005)


async def test_a_bot_that_was_killed_finds_its_seats_without_a_chosen_instance(language, tmp_path):
    """A second program of the bot that runs beside it takes nothing away."""
    async with open_server(tmp_path) as site:
        told = {"CHEATARENA_ADDRESS": site.address, "CHEATARENA_TOKEN": await site.create_token("bot")}
        killed = await start_bot(language, **told)
        while not site.node.sessions:
            assert killed.returncode is None, await read_end(killed)
            await asyncio.sleep(0.02)
        pace = slow_pace(reconnect_grace_ms=60_000)
        match = await site.create_match("bot", "bot", pace=pace, options=(), game_count=5)
        await wait_for_match(site, killed)
        killed.kill()
        await killed.wait()
        while site.node.sessions:
            await asyncio.sleep(0.02)

        again = await start_bot(language, **told)
        while not site.node.sessions:
            assert again.returncode is None, await read_end(again)
            await asyncio.sleep(0.02)
        beside = await start_bot(language, **told)
        assert_clean(await wait_for_result(site, match), 5)
        while len(site.node.sessions) < 2:
            assert beside.returncode is None, await read_end(beside)
            await asyncio.sleep(0.02)
        instances = sorted(instance for _, instance in site.node.sessions)
        assert await stop_bot(again) == (0, [])
        code, (line,) = await stop_bot(beside)

    assert instances[1] == f"{instances[0]}.2"
    assert code == 0
    assert line.endswith(f"another program of this bot runs here, so this one is its instance {instances[1]}")


@asynccontextmanager
async def interrupted_pool_bot(language, tmp_path):
    """Yield a server, a bot that was interrupted once in a match of a pool, and the pool's seatings before."""
    async with (
        open_server(tmp_path, pools=(LONG_POOL,)) as site,
        connected_bot(site, language, name="ann", CHEATARENA_POOLS="pair") as ann,
        connected_bot(site, language, name="bob", CHEATARENA_POOLS="pair"),
    ):
        await wait_for_match(site, ann)
        while not (seatings := await site.store.pools.seatings("pair", 1)):
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.5)  # until the bot has heard of its seat
        ann.send_signal(signal.SIGINT)
        yield site, ann, seatings


async def test_the_first_interrupt_of_a_pool_bot_finishes_its_games(language, tmp_path):
    """It says so, takes no new seats, and ends by itself without a strike."""
    async with interrupted_pool_bot(language, tmp_path) as (site, ann, seatings):
        code, errors = await read_end(ann)
        match = await wait_for_result(site, match_pb2.Match(match_id=seatings[0].match_id))
        assert await site.store.pools.seatings("pair", 2) == seatings

    assert code == 0, errors
    assert "no new seats: this bot ends after its matches, of which 1 are left; Ctrl-C again ends it now" in errors
    assert_clean(match, 1)


async def test_the_second_interrupt_ends_a_pool_bot_now(language, tmp_path):
    async with interrupted_pool_bot(language, tmp_path) as (site, ann, seatings):
        while not ((session := site.node.sessions.get(("ann", "one"))) and session.is_welcomed and not session.pools):
            await asyncio.sleep(0.02)
        ann.send_signal(signal.SIGINT)
        code, errors = await read_end(ann)
        match = await wait_for_result(site, match_pb2.Match(match_id=seatings[0].match_id))

    assert code == 0, errors
    assert "no new seats" in errors
    assert sum(strikes.gone for strikes in match.strikes) == 1


async def test_an_interrupt_ends_a_bot_that_is_in_no_pool(language, tmp_path):
    async with open_server(tmp_path) as site, connected_bot(site, language) as bot:
        bot.send_signal(signal.SIGINT)
        assert await read_end(bot) == (0, "")
