"""A token with the scope `relay` watches more matches than others, and takes no room from other spectators."""

import grpc
import pytest

from arena.node.limits import Limits
from cheatarena.v1 import watch_pb2
from tests.support.server import open_server
from tests.support.wire_bot import bearer, expect_refusal


@pytest.mark.parametrize(("scopes", "allowed"), [(("spectate",), 1), (("spectate", "relay"), 3)])
async def test_relay_watches_more_matches(tmp_path, scopes, allowed):
    limits = Limits(watchers_a_token=1, watchers_an_owner=2, watchers_a_relay=3)
    async with open_server(tmp_path, limits) as site:
        await site.connect_bots("ann", "bob")
        match = await site.create_match("ann", "bob")
        caller = bearer(await site.create_token("web", *scopes))
        request = watch_pb2.WatchMatchRequest(match_id=match.match_id)
        streams = [site.watch.WatchMatch(request, metadata=caller) for _ in range(allowed)]
        for stream in streams:
            assert await stream.read()

        refusal = await expect_refusal(site.watch.WatchMatch(request, metadata=caller).read())

        assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "this token watches" in refusal.text


async def test_relay_alone_watches_nothing(tmp_path):
    async with open_server(tmp_path) as site:
        caller = bearer(await site.create_token("web", "relay"))

        refusal = await expect_refusal(site.watch.WatchMatch(watch_pb2.WatchMatchRequest(), metadata=caller).read())

        assert refusal.code is grpc.StatusCode.PERMISSION_DENIED
