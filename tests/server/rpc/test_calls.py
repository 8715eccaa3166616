"""What every call gets, whatever its method: its caller is identified first, then its bytes are read, then it acts."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ResponseReceived, TrailersReceived
from structlog.testing import capture_logs

from arena.errors import DeniedError, OptionError
from arena.server.rpc.caller import CallerReader, parse_proxies
from arena.server.rpc.play_service import PlayService
from arena.server.rpc.refusals import QuietIfCallerIsGone
from arena.server.rpc.server import CONCURRENT_CALLS
from cheatarena.v1 import match_pb2
from tests.faults.http2 import hello_message
from tests.support.server import LocalServer
from tests.support.wire_bot import bearer, new_channel

GARBAGE = b"\xff\xff\xff"
MATCH, WATCH = "/cheatarena.v1.MatchService/", "/cheatarena.v1.WatchService/"
AUTHOR = "/cheatarena.v1.AuthorService/"
METHODS = [f"{MATCH}{name}" for name in ("CreateMatch", "GetMatch", "ListMatches", "CancelMatch", "WaitForResult")]
METHODS += [f"{MATCH}CreateMatches", f"{WATCH}WatchMatch"]
METHODS += [f"{AUTHOR}{name}" for name in ("ListGames", "GetReplay", "GetFaults", "GetFigures", "WatchSeat")]
STREAMS = ("CreateMatches", "WatchMatch", "WatchSeat")
"""The methods that send many responses."""


async def call_raw(site: LocalServer, method: str, metadata: Any = ()) -> grpc.aio.AioRpcError:
    """Send bytes that are no message; return the refusal."""
    async with new_channel(site.address) as channel:
        call: Any = (
            channel.unary_stream(method) if method.rpartition("/")[2] in STREAMS else channel.unary_unary(method)
        )
        asked = call(GARBAGE, metadata=metadata)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await (asked.read() if hasattr(asked, "read") else asked)
    return caught.value


@pytest.mark.parametrize("method", METHODS)
async def test_bytes_that_are_no_message_are_refused_by_status(site: LocalServer, method):
    """The log has no error for it."""
    token = await site.create_token("all", "organize", "spectate", "play")

    with capture_logs() as logs:
        error = await call_raw(site, method, bearer(token))

    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (error.details() or "").startswith("the request cannot be read as a ")
    assert [each for each in logs if each["log_level"] == "error"] == []


@pytest.mark.parametrize("method", METHODS)
async def test_caller_without_token_does_not_learn_what_bytes_a_method_takes(site: LocalServer, method):
    assert (await call_raw(site, method)).code() is grpc.StatusCode.UNAUTHENTICATED


async def test_health_refuses_bytes_that_are_no_message(site: LocalServer):
    error = await call_raw(site, "/grpc.health.v1.Health/Check")

    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (await call_raw(site, "/grpc.health.v1.Health/Watch")).code() is grpc.StatusCode.UNIMPLEMENTED


async def test_health_of_each_service_is_known(site: LocalServer):
    async with new_channel(site.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        for service in (
            "",
            "cheatarena.v1.PlayService",
            "cheatarena.v1.MatchService",
            "cheatarena.v1.WatchService",
            "cheatarena.v1.AuthorService",
        ):
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.aio.AioRpcError, match="NOT_FOUND"):
            await stub.Check(health_pb2.HealthCheckRequest(service="other"))


async def test_control_characters_of_a_request_do_not_come_back(site: LocalServer):
    request = match_pb2.GetMatchRequest(match_id="\x1b[31mred\x07\u202e")

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await site.matches.GetMatch(request, metadata=site.organizing)

    assert "red" in (caught.value.details() or "")
    assert (caught.value.details() or "").isprintable()
    assert all(text.isprintable() for text in error_metadata(caught.value).values())


def error_metadata(error: grpc.aio.AioRpcError) -> dict[str, str]:
    status: Any = rpc_status.from_call(error)  # type: ignore[arg-type]  # it has the methods of a call
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return dict(info.metadata)


async def test_a_hundred_calls_at_once_on_one_connection_are_all_answered(site: LocalServer):
    await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob")
    request = match_pb2.GetMatchRequest(match_id=match.match_id)

    async with asyncio.timeout(20):
        answers = await asyncio.gather(*(site.matches.GetMatch(request, metadata=site.organizing) for _ in range(100)))

    assert {answer.match.match_id for answer in answers} == {match.match_id}


async def test_calls_beyond_the_limit_of_a_connection_end_as_the_guide_says(site: LocalServer):
    """They are refused with one status, and the connection goes on."""
    request = match_pb2.ListMatchesRequest()
    guide = (Path(__file__).parents[3] / "proto" / "README.md").read_text(encoding="utf-8")

    async with asyncio.timeout(20):
        calls = [site.matches.ListMatches(request, metadata=site.organizing) for _ in range(3 * CONCURRENT_CALLS)]
        codes = {await call.code() for call in calls}
        await site.matches.ListMatches(request, metadata=site.organizing)

    assert f"| {CONCURRENT_CALLS} RPCs at the same time on each connection" in guide
    assert grpc.StatusCode.OK in codes
    assert codes <= {grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE}


@pytest.mark.parametrize("method", [*METHODS, "/cheatarena.v1.PlayService/Play", "/grpc.health.v1.Health/Check"])
async def test_metadata_beyond_the_limit_ends_only_that_call(site: LocalServer, method):
    """Sent as frames, since a gRPC client holds the limit itself."""
    host, _, port = site.address.rpartition(":")
    async with asyncio.timeout(30):
        status = await asyncio.to_thread(call_with_large_header, host, int(port), method)
    await site.connect_bot("ann")

    assert status == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]


def call_with_large_header(host: str, port: int, method: str) -> int:
    """Call a method with a header of 20 kB; return the status."""
    client = H2Connection(H2Configuration(header_encoding=None))
    client.initiate_connection()
    client.send_headers(1, [
        (":method", "POST"), (":scheme", "http"), (":authority", host), (":path", method),
        ("content-type", "application/grpc"), ("te", "trailers"), ("x-large", "a" * 20_000),
    ])  # fmt: skip
    client.send_data(1, bytes(5), end_stream=True)
    with socket.create_connection((host, port), 5) as connection:
        while True:
            connection.sendall(client.data_to_send())
            for event in client.receive_data(connection.recv(1 << 16)):
                headers = dict(event.headers) if isinstance(event, ResponseReceived | TrailersReceived) else {}
                if b"grpc-status" in headers:
                    return int(headers[b"grpc-status"])


# ---- behind a proxy


class Context:
    """The parts of a call's context that tell who calls."""

    def __init__(self, peer: str, *forwarded: str) -> None:
        self._peer = peer
        self._metadata = [("x-forwarded-for", value) for value in forwarded]

    def peer(self) -> str:
        return self._peer

    def invocation_metadata(self) -> Any:
        return self._metadata


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        (["198.51.100.7"], "198.51.100.7"),
        (["203.0.113.9, 198.51.100.7"], "198.51.100.7"),  # the client made up the first one
        (["203.0.113.9", "198.51.100.7, 10.0.0.3"], "198.51.100.7"),  # a second proxy
        (["2001:db8::1"], "2001:db8::1"),
        (["no address"], "10.0.0.2"),
        ([], "10.0.0.2"),
    ],
)
def test_client_address_is_the_last_one_that_is_no_proxy(forwarded, address):
    callers = CallerReader(8192, parse_proxies(["10.0.0.0/24"]))
    context: Any = Context("ipv4:10.0.0.2:1234", *forwarded)

    caller = callers.read(context)

    assert (caller.connection, caller.address) == ("ipv4:10.0.0.2:1234", address)


def test_only_the_proxy_and_this_machine_may_call_a_server_behind_a_proxy():
    callers = CallerReader(8192, parse_proxies(["10.0.0.2"]))
    stranger: Any = Context("ipv4:10.0.0.3:1234", "198.51.100.7")
    local: Any = Context("ipv4:127.0.0.1:1234")

    with pytest.raises(DeniedError, match="proxy only"):
        callers.read(stranger)
    assert callers.read(local).address == "127.0.0.1"


def test_forwarded_address_is_ignored_without_a_proxy():
    context: Any = Context("ipv4:198.51.100.7:1234", "203.0.113.9")

    assert CallerReader(8192).read(context).address == "198.51.100.7"


def test_malformed_proxy_is_refused():
    with pytest.raises(OptionError, match="plaintext_behind_proxy"):
        parse_proxies(["10.0.0.0/24", "proxy.example"])


async def test_compressed_message_is_refused_before_it_is_inflated(site: LocalServer):
    """A message that would be too long takes long to inflate, and every stream waits meanwhile."""
    request = match_pb2.GetMatchRequest(match_id="a" * (1 << 22))

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await site.matches.GetMatch(request, metadata=site.organizing, compression=grpc.Compression.Gzip)

    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


# ---- callers that vanish


class VanishingContext:
    """A stream that ends after its Hello, at a moment that no test can hit with a real one."""

    def __init__(self, token: str, read_error: Exception | None, write_error: Exception | None) -> None:
        self._token = token
        self._errors = read_error, write_error
        self._frames = [hello_message("one")]

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    def invocation_metadata(self) -> Any:
        return bearer(self._token)

    async def read(self) -> Any:
        if self._frames:
            return self._frames.pop()
        if self._errors[0] is not None:
            raise self._errors[0]
        return grpc.aio.EOF

    async def send_initial_metadata(self, metadata: Any) -> None:
        if self._errors[1] is not None:
            raise self._errors[1]

    async def write(self, frame: bytes) -> None:
        await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("read_error", "write_error"),
    [
        (None, None),  # its welcome is still on its way, and gRPC could send no status now
        (grpc.aio.UsageError("RPC already finished"), None),
        (grpc.aio.InternalError("failed"), None),
        (None, grpc.aio.InternalError("failed")),
    ],
    ids=["unread", "finished", "failed", "gone at once"],
)
async def test_bot_that_vanishes_cancels_its_call(site: LocalServer, read_error, write_error):
    """GRPC logs a traceback for any other error, and for a status that it cannot send."""
    context: Any = VanishingContext(await site.create_token("ann"), read_error, write_error)
    service = PlayService(site.node, site.store.tokens, CallerReader(8192), "1")

    with pytest.raises(asyncio.CancelledError):
        await service._play(None, context)
    await site.wait_until_gone("ann")


def test_only_errors_of_ended_calls_become_cancellations():
    """An error of the server itself is still reported."""
    with pytest.raises(KeyError), QuietIfCallerIsGone():
        raise KeyError("a fault")
