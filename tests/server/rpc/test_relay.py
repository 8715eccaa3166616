"""A token with the scope `relay` watches more matches than others, and takes no room from other spectators."""

import grpc
import pytest

from arena.server.node.limits import Limits
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
        assert "this token already watches" in refusal.text


async def test_relay_alone_watches_nothing(tmp_path):
    async with open_server(tmp_path) as site:
        caller = bearer(await site.create_token("web", "relay"))

        refusal = await expect_refusal(site.watch.WatchMatch(watch_pb2.WatchMatchRequest(), metadata=caller).read())

        assert refusal.code is grpc.StatusCode.PERMISSION_DENIED


async def test_others_leave_room_for_a_relay(tmp_path):
    """Everybody with a token may watch a match of a pool, and the web pages have to show it nevertheless."""
    async with open_server(tmp_path, Limits(watchers=3, watchers_a_token=1, watchers_a_relay=2)) as site:
        await site.connect_bots("ann", "bob")
        request = watch_pb2.WatchMatchRequest(match_id=(await site.create_match("ann", "bob")).match_id)
        callers = [bearer(await site.create_token(name, "spectate")) for name in ("eve", "eva")]
        relay = bearer(await site.create_token("web", "spectate", "relay"))
        first = site.watch.WatchMatch(request, metadata=callers[0])
        assert await first.read()

        refusal = await expect_refusal(site.watch.WatchMatch(request, metadata=callers[1]).read())
        streams = [site.watch.WatchMatch(request, metadata=relay) for _ in range(2)]

        assert refusal.text == "the server already has 1 watcher, the most allowed"
        for stream in streams:
            assert await stream.read()
