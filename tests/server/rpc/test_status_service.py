"""StatusService on a live server, through the organizer's client."""

import asyncio

import pytest

from arena import __version__
from arena.competition.pools.pool_settings import PoolSettings
from arena.compiled_build import describe_build
from arena.errors import DeniedError
from arena.server.rpc.client_channel import PUBLIC_TLS
from arena.server.rpc.status_service import StatusClient
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.wire_bot import play_lowest


def client_of(site: LocalServer) -> StatusClient:
    return StatusClient(site.address, dict(site.organizing)["authorization"].removeprefix("Bearer "), PUBLIC_TLS)


async def test_status_counts_sessions_and_matches(site: LocalServer):
    _, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
    await ann.wait_for_prompt()
    await site.create_match("ann", "bob", pace=slow_pace())

    async with client_of(site) as client:
        status = await client.read()

    (node,) = status.nodes
    assert (node.node, node.session_count) == (site.node.name, 2)
    assert (node.running_count, node.offered_count, node.ended_count) == (1, 1, 0)
    assert node.uptime_us > 0
    assert status.pools == ()


async def test_decisions_of_ended_matches_stay_counted(site: LocalServer):
    match, bots = await site.seat_bots("ann", "bob")
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    await site.wait_for_result(match)

    async with client_of(site) as client:
        (node,) = (await client.read()).nodes

    assert (node.running_count, node.ended_count) == (0, 1)
    assert node.decision_count == sum(len(bot.accepted) for bot in bots) > 0


async def test_pools_are_counted(tmp_path):
    pools = (PoolSettings(name="open", seats=3, house_bots=("sample:honest",)), PoolSettings(name="quiet"))
    async with open_server(tmp_path / "data", pools=pools) as site:
        for name in ("ann", "bob"):
            await site.connect_bot(name, pools={"open": 1})

        assert site.server.matchmaker is not None
        site.server.matchmaker.house_faults = {"house-honest": "it did not start"}
        async with client_of(site) as client:
            found = (await client.read()).pools

    assert [each.house_faults for each in found] == [("house-honest: it did not start",), ()]
    assert [(each.name, each.bot_count, each.waiting_count, each.match_count) for each in found] == [
        ("open", 2, 2, 0),
        ("quiet", 0, 0, 0),
    ]


async def test_token_without_the_scope_is_denied(site: LocalServer):
    token = await site.create_token("ann")

    async with StatusClient(site.address, token, PUBLIC_TLS) as client:
        with pytest.raises(DeniedError, match="organize"):
            await client.read()


async def test_room_on_the_disk_and_the_build_are_told(site: LocalServer):
    async with client_of(site) as client:
        status = await client.read()

    assert status.storage is not None
    assert 0 < status.storage.database < status.storage.free + status.storage.database <= status.storage.disk
    assert status.version == __version__
    assert status.build == describe_build()
