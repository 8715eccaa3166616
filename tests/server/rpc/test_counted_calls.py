"""Each call is noted once it has ended: its method, its status and its time, also when it was refused or left."""

import asyncio
from typing import Any

import pytest

from cheatarena.v1 import account_pb2, account_pb2_grpc, play_pb2_grpc
from tests.support.server import LocalServer
from tests.support.wire_bot import bearer, expect_refusal, new_channel


@pytest.fixture
async def owner_token(site: LocalServer) -> str:
    await site.store.owners.add("ann", "", 2)
    return await site.store.tokens.create("ann", ["own"], owner="ann")


async def test_calls_are_counted_by_method_and_status(site: LocalServer, owner_token: str):
    async with new_channel(site.address) as channel:
        accounts = account_pb2_grpc.AccountServiceStub(channel)
        for _ in range(2):
            await accounts.ListBots(account_pb2.ListBotsRequest(), metadata=bearer(owner_token))
        await expect_refusal(accounts.ListBots(account_pb2.ListBotsRequest()))
        await expect_refusal(accounts.Join(account_pb2.JoinRequest(code="x")))
        unknown: Any = channel.unary_unary("/cheatarena.v1.AccountService/Nothing")
        await expect_refusal(unknown(b""))

    totals = site.node.calls
    assert dict(totals.counts) == {
        ("AccountService/ListBots", "OK"): 2,
        ("AccountService/ListBots", "UNAUTHENTICATED"): 1,
        ("AccountService/Join", "UNAUTHENTICATED"): 1,
    }
    assert set(totals.seconds) == {"AccountService/ListBots", "AccountService/Join"}
    assert all(0 < seconds < 60 for seconds in totals.seconds.values())


async def test_stream_that_its_caller_leaves_is_cancelled(site: LocalServer):
    async with new_channel(site.address) as channel:
        call = play_pb2_grpc.PlayServiceStub(channel).Play(metadata=bearer(await site.create_token("ann")))
        await asyncio.sleep(0.1)
        call.cancel()
    async with asyncio.timeout(10):
        while not site.node.calls.counts:
            await asyncio.sleep(0.01)

    assert dict(site.node.calls.counts) == {("PlayService/Play", "CANCELLED"): 1}
