"""HTTP proxies in the environment: never between this machine and itself, and named when they are in the way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from cheatarena import Client, ServerGoneError, Settings, TlsError
from cheatarena.proxies import find_proxy
from cheatarena.tls_check import explain_refused_handshake
from tests.sdk.fake_arena import Stream, run_fake_arena
from tests.sdk.stories import Onlooker

NAMES = ("grpc_proxy", "https_proxy", "http_proxy", "all_proxy")
FAR = "arena.example:443"


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in (*NAMES, "no_proxy", "no_grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def name_proxy(monkeypatch, *names: str, url: str = "http://127.0.0.1:9") -> None:
    for name in names:
        monkeypatch.setenv(name, url)


async def play(address: str, patience_s: float = 5) -> None:
    client = Client(Onlooker, Settings(address, "secret", is_insecure=True, patience_s=patience_s))
    await asyncio.wait_for(client.play(), 20)


async def end(stream: Stream) -> None:
    await stream.welcome()
    await stream.farewell("GOODBYE")


@asynccontextmanager
async def proxy_to(target: str) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Run a proxy that connects everybody to one server; yield its address and the head of each request."""
    asked: list[bytes] = []
    host, _, port = target.rpartition(":")

    async def pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65536):
                sink.write(data)
        sink.close()

    async def serve(near_reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        asked.append(await near_reader.readuntil(b"\r\n\r\n"))
        far_reader, far = await asyncio.open_connection(host, int(port))
        near.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(pass_on(near_reader, far), pass_on(far_reader, near))

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        yield f"127.0.0.1:{listening.sockets[0].getsockname()[1]}", asked


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
async def test_server_on_this_machine_is_dialled_without_a_proxy(monkeypatch, host):
    name_proxy(monkeypatch, *NAMES, *map(str.upper, NAMES))

    async with run_fake_arena(end) as arena:
        await play(arena.address.replace("127.0.0.1", host), patience_s=1)

    assert len(arena.streams) == 1


async def test_server_elsewhere_is_dialled_through_the_proxy(monkeypatch):
    async with run_fake_arena(end) as arena, proxy_to(arena.address) as (proxy, asked):
        name_proxy(monkeypatch, "https_proxy", url=f"http://ann:p%40ss@{proxy}")
        await play(FAR)

    assert asked[0].startswith(b"CONNECT arena.example:443 HTTP/1.")
    assert b"Proxy-Authorization: Basic YW5uOnBAc3M=" in asked[0]


async def test_failure_behind_a_proxy_names_the_proxy_and_no_password(monkeypatch):
    name_proxy(monkeypatch, "http_proxy", url="http://ann:secret@127.0.0.1:9")

    with pytest.raises(ServerGoneError) as caught:
        await play(FAR, patience_s=0)

    assert str(caught.value).endswith("(nothing listens there, through the proxy 127.0.0.1:9 that http_proxy names)")


async def test_proxy_that_refuses_is_named_with_its_status(monkeypatch):
    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        name_proxy(monkeypatch, "grpc_proxy", url=f"http://127.0.0.1:{port}")
        with pytest.raises(ServerGoneError) as caught:
            await play(FAR, patience_s=0)

    why = f"HTTP status 403 instead of a connection, through the proxy 127.0.0.1:{port} that grpc_proxy names"
    assert why in str(caught.value)


async def test_handshake_is_examined_through_the_proxy(monkeypatch):
    """Past it, the server could not be reached, or another one would answer."""
    async with run_fake_arena(end) as arena, proxy_to(arena.address) as (proxy, asked):
        name_proxy(monkeypatch, "https_proxy", url=f"http://ann:p%40ss@{proxy}")
        with pytest.raises(TlsError, match="the server speaks plaintext, and this bot TLS"):
            await asyncio.wait_for(Client(Onlooker, Settings(FAR, "secret", patience_s=5)).play(), 20)

    assert len({request.partition(b" HTTP/1.")[0] for request in asked}) == 1
    assert all(b"Proxy-Authorization: Basic YW5uOnBAc3M=" in request for request in asked)


@pytest.mark.parametrize(
    ("environ", "address", "variable"),
    [
        ({"http_proxy": "http://p:1", "https_proxy": "http://p:2"}, FAR, "https_proxy"),
        ({"https_proxy": "http://p:2", "grpc_proxy": "http://p:3"}, FAR, "grpc_proxy"),
        ({"grpc_proxy": "", "https_proxy": "http://p:2"}, FAR, None),
        ({"HTTPS_PROXY": "http://p:1", "all_proxy": "http://p:1"}, FAR, None),
        ({"https_proxy": "https://p:1"}, FAR, None),
        ({"https_proxy": "http://p:1", "no_proxy": "other, .EXAMPLE"}, FAR, None),
        ({"https_proxy": "http://p:1", "no_proxy": "10.0.0.0/8"}, "10.1.2.3:443", None),
        ({"https_proxy": "http://p:1", "no_proxy": "10.0.0.0/8"}, "11.1.2.3:443", "https_proxy"),
        ({"https_proxy": "http://p:1", "no_proxy": ".example", "no_grpc_proxy": "other"}, FAR, "https_proxy"),
        ({"https_proxy": "http://p:1"}, "unix:/run/arena", None),
    ],
)  # fmt: skip
def test_proxy_is_the_one_that_grpc_takes(environ, address, variable):
    found = find_proxy(address, environ)

    assert (found and found.variable) == variable


def test_every_client_opens_its_channels_at_one_place():
    """There, an address on this machine gets no proxy."""
    root = Path(__file__).resolve().parents[2]
    sources = [*(root / "arena").rglob("*.py"), *(root / "sdk").rglob("*.py")]

    assert [each.name for each in sources if "secure_channel(" in each.read_text(encoding="utf-8")] == ["connection.py"]


def test_handshake_with_a_socket_of_this_machine_is_not_examined(monkeypatch):
    name_proxy(monkeypatch, "https_proxy")

    assert explain_refused_handshake(Settings("unix:/run/arena", "secret").tls, "unix:/run/arena") == ""
