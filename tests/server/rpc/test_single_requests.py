"""Calls whose requests never arrive cost the server little, and hold up nobody."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc

from arena.server.guards.calls import MOST_ARRIVING, ArrivingRequests
from arena.server.rpc.server import SingleRequests
from tests.support.server import LocalServer, open_server
from tests.support.wire_bot import new_channel

CHECK = "/grpc.health.v1.Health/Check"


async def echo(raw: bytes, _: Any) -> bytes:
    return raw


async def repeat(raw: bytes, context: Any) -> None:
    for _ in range(2):
        await context.write(raw)


@asynccontextmanager
async def open_echo(requests: SingleRequests) -> AsyncIterator[grpc.aio.Channel]:
    """Serve two methods that read their requests like this, and return a channel to them."""
    methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "One": grpc.unary_unary_rpc_method_handler(echo),
        "Many": grpc.unary_stream_rpc_method_handler(repeat),
    }
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((requests.wrap(grpc.method_handlers_generic_handler("echo", methods)),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with new_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop(0)


async def begin(channel: grpc.aio.Channel, method: str) -> Any:
    """Begin a call and send no request."""
    call: Any = channel.stream_unary(method)()
    await call.wait_for_connection()
    return call


async def test_requests_are_answered_as_before():
    async with open_echo(SingleRequests(ArrivingRequests())) as channel:
        one: Any = channel.unary_unary("/echo/One")
        many: Any = channel.unary_stream("/echo/Many")

        assert await one(b"ann") == b"ann"
        assert [each async for each in many(b"bob")] == [b"bob", b"bob"]


async def test_request_that_does_not_arrive_ends_its_call():
    async with open_echo(SingleRequests(ArrivingRequests(time_s=0.05))) as channel:
        call = await begin(channel, "/echo/One")

        assert await call.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_call_without_a_request_is_refused():
    async with open_echo(SingleRequests(ArrivingRequests())) as channel:
        call = await begin(channel, "/echo/One")
        await call.done_writing()

        assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_longest_wait_ends_when_too_many_requests_arrive():
    async with open_echo(SingleRequests(ArrivingRequests(most=2))) as channel:
        first = await begin(channel, "/echo/One")
        later = [await begin(channel, "/echo/One") for _ in range(2)]

        assert await first.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        for call in later:
            await call.write(b"carl")
            await call.done_writing()
            assert await call == b"carl"


async def test_callers_without_tokens_hold_few_requests_of_a_server(tmp_path):
    """Each could hold 1 MB, on any number of connections."""
    async with open_server(tmp_path) as site, AsyncExitStack() as stack:
        calls = []
        for _ in range(2):
            channel = await stack.enter_async_context(new_channel(site.address))
            calls += [await begin(channel, CHECK) for _ in range(MOST_ARRIVING)]

        for call in calls[:MOST_ARRIVING]:
            assert await call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert await is_answered(site)


async def is_answered(site: LocalServer) -> bool:
    """Return whether the server answers an honest call."""
    async with new_channel(site.address) as channel:
        check: Any = channel.unary_unary(CHECK)
        return bool(await check(b""))
