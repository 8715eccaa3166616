"""The proxy reaches the named hosts and no others, and the tools of a build find it."""

import asyncio
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.bots.sandbox.network import forwarder
from arena.bots.sandbox.network.index_proxy import MAX_HEAD_BYTES, IndexProxy


@asynccontextmanager
async def echoing_host() -> AsyncIterator[int]:
    """Yield the port of a server on loopback that sends back what it gets."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(1000):
            writer.write(chunk)
        writer.close()

    async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
        yield int(server.sockets[0].getsockname()[1])


@pytest.fixture
def place(short_folder: Path) -> Path:
    return short_folder / "indexes.sock"


@pytest.fixture
def short_folder(tmp_path_factory) -> Path:
    """Return a folder with a path that is short enough for a socket."""
    folder: Path = tmp_path_factory.mktemp("proxy")
    return folder


async def ask(place: Path, request: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(place)
    writer.write(request)
    writer.write_eof()
    try:
        return await reader.read()
    finally:
        writer.close()


def client_hello(name: str | None = "localhost") -> bytes:
    """Return the bytes with which a TLS client begins that wants this name."""
    context = ssl.create_default_context()
    context.check_hostname = False
    sent = ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname=name).do_handshake()
    return sent.read()


HELLO = client_hello()
SPLIT = HELLO[:3] + (20).to_bytes(2) + HELLO[5:25] + HELLO[:3] + (len(HELLO) - 25).to_bytes(2) + HELLO[25:]
"""The same in two records."""
ENCRYPTED = b"\xfe\x0d\0\x01\0"
"""An extension of a hello that hides the name which is really wanted."""


def extended(hello: bytes, extension: bytes) -> bytes:
    """Return a hello with one more extension."""
    more, body = len(extension), hello[9:]
    at = 34
    at += 1 + body[at]
    at += 2 + int.from_bytes(body[at : at + 2])
    at += 1 + body[at]
    extensions = body[at + 2 :] + extension
    body = body[:at] + len(extensions).to_bytes(2) + extensions
    assert len(body) == len(hello) - 9 + more
    return hello[:3] + (4 + len(body)).to_bytes(2) + b"\1" + len(body).to_bytes(3) + body


@pytest.mark.parametrize("hello", [HELLO, SPLIT, extended(HELLO, b"\xaa\xaa\0\0"), client_hello("LOCALHOST")])
async def test_named_host_is_reached(place, hello):
    async with echoing_host() as port, IndexProxy(["localhost"], place, print, port=port):
        answer = await ask(place, b"CONNECT localhost:%d HTTP/1.1\r\n\r\n%shello" % (port, hello))

    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\n" + hello + b"hello"


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "that is not TLS"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "that is not TLS"),
        (b"\x16\x03\x01\xff\xff" + bytes(65_535), "that is not TLS"),
        (b"\x16\x03\x01\0\x08\1\0\0\x04\xff\xff\xff\xff", "that is not TLS"),
        (client_hello(None), "or hides the name"),
        (extended(HELLO, ENCRYPTED), "or hides the name"),
        (client_hello("evil.example"), "a build wanted 'evil.example' from localhost: only localhost is allowed there"),
        (client_hello("localhost.evil.example"), "a build wanted 'localhost.evil.example'"),
    ],
)
async def test_nothing_but_tls_for_the_host_is_passed_on(place, sent, told):
    """Behind the address of an index are all other sites of its network, and whatever listens there without TLS."""
    sentences: list[str] = []
    async with echoing_host() as port, IndexProxy(["localhost"], place, sentences.append, port=port):
        answer = await ask(place, b"CONNECT localhost:%d HTTP/1.1\r\n\r\n" % port + sent)

    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\n"
    assert told in sentences[0]


@pytest.mark.parametrize(
    ("request_line", "code", "told"),
    [
        (
            b"CONNECT evil.example:443 HTTP/1.1",
            403,
            "builds may not connect to 'evil.example:443', only to index.example",
        ),
        (
            b"CONNECT index.example:22 HTTP/1.1",
            403,
            "builds may not connect to 'index.example:22', only to index.example",
        ),
        (b"CONNECT 169.254.169.254:443 HTTP/1.1", 403, "builds may not connect to '169.254.169.254:443'"),
        (b"GET http://index.example/ HTTP/1.1", 405, "only HTTPS reaches the package indexes"),
        (b"hello", 405, "only HTTPS reaches the package indexes"),
    ],
)
async def test_everything_else_is_refused_with_a_sentence(place, request_line, code, told):
    sentences: list[str] = []
    async with IndexProxy(["index.example"], place, sentences.append):
        answer = await ask(place, request_line + b"\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 %d " % code)
    assert sentences[0].startswith(told)


@pytest.mark.parametrize("request_bytes", [b"", b"CONNECT ", b"x" * (MAX_HEAD_BYTES + 100)])
async def test_torn_and_endless_heads_are_refused(place, request_bytes):
    sentences: list[str] = []
    async with IndexProxy(["index.example"], place, sentences.append):
        await ask(place, request_bytes)

    assert sentences == ["a request to the package indexes was no HTTP"]


async def test_host_that_cannot_be_reached_is_named(place, unused_tcp_port):
    sentences: list[str] = []
    async with IndexProxy(["127.0.0.1"], place, sentences.append, port=unused_tcp_port):
        answer = await ask(place, b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n" % unused_tcp_port)

    assert answer.startswith(b"HTTP/1.1 502 ")
    assert sentences[0].startswith("127.0.0.1 cannot be reached")


async def test_build_has_a_limit_of_bytes(place):
    sentences: list[str] = []
    async with echoing_host() as port, IndexProxy(["localhost"], place, sentences.append, port=port, max_bytes=1000):
        answer = await ask(place, b"CONNECT localhost:%d HTTP/1.1\r\n\r\n" % port + HELLO + b"x" * 5000)

    assert len(answer) < 1100
    assert sentences == ["the build has moved more bytes than a build may"]


BUILD = """
import os, socket, sys
address = os.environ["HTTPS_PROXY"].removeprefix("http://").split(":")
with socket.create_connection((address[0], int(address[1]))) as line:
    line.sendall(b"CONNECT localhost:PORT HTTP/1.1\\r\\n\\r\\n" + bytes.fromhex(sys.argv[1]) + b"\\r\\nhello")
    line.shutdown(socket.SHUT_WR)
    print(b"".join(iter(lambda: line.recv(1000), b"")).decode("latin-1").splitlines()[-1])
raise SystemExit(7)
"""


async def test_tools_of_a_build_find_the_proxy(place):
    script = Path(forwarder.__file__)
    async with echoing_host() as port, IndexProxy(["localhost"], place, print, port=port):
        words = [
            sys.executable,
            "-I",
            "-S",
            script,
            place,
            sys.executable,
            "-c",
            BUILD.replace("PORT", str(port)),
            HELLO.hex(),
        ]
        ended = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "hello\n", "")
