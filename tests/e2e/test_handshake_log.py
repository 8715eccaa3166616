"""When the two ends of a connection do not fit, each end says why: the bot in an error, the server in its log."""

import asyncio
import json
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.server.guards import core_log
from arena.server.rpc.local_authority import LocalAuthority
from cheatarena import Client, Settings, TlsError
from cheatarena.addresses import split_address
from cheatarena.tls_check import explain_refused_handshake
from tests.support.commands import CommandProcess, start_command
from tests.support.idle_bot import IdleBot

HOSTS = ("127.0.0.1",)


@dataclass
class TlsServer:
    """A server in a process of its own that speaks TLS on loopback."""

    process: CommandProcess
    address: str
    authority: LocalAuthority

    @property
    def settings(self) -> Settings:
        """Those of a bot that trusts the server."""
        return Settings(self.address, "cat_" + "0" * 46, patience_s=5, ca=self.authority.certificate)

    def events(self) -> list[dict[str, Any]]:
        """Return the failed handshakes in the log so far."""
        lines = [json.loads(line) for line in self.process.err if line.startswith("{")]
        return [line for line in lines if line["event"] == "TLS handshake failed"]

    def wait_for_reason(self, reason: str) -> None:
        """Wait until the log says why a handshake failed."""
        deadline = time.monotonic() + 30
        while reason not in {each["reason"] for each in self.events()}:
            assert time.monotonic() < deadline, self.process.err
            time.sleep(0.02)


def serve(folder: Path, *options: object) -> Iterator[TlsServer]:
    authority = LocalAuthority(folder / "tls")
    pair = authority.issue_server_certificate(HOSTS)
    tls = ("--tls-cert", pair.certificate, "--tls-key", pair.key, "--tls-on-loopback")
    with start_command("serve", "--data", folder / "data", "--grace", 0, *tls, *options) as process:
        address = process.wait_for_line("READY").split()[1]
        yield TlsServer(process, address, authority)
        assert [line for line in process.err if not line.startswith("{")] == []


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[TlsServer]:
    yield from serve(tmp_path_factory.mktemp("open"))


@pytest.fixture(scope="module")
def strict_server(tmp_path_factory) -> Iterator[TlsServer]:
    """Return a server that asks for client certificates."""
    folder = tmp_path_factory.mktemp("strict")
    authority = LocalAuthority(folder / "tls").certificate
    yield from serve(folder, "--tls-client-ca", authority)


async def error_of(settings: Settings) -> str:
    with pytest.raises(TlsError) as caught:
        await asyncio.wait_for(Client(IdleBot, settings).play(), 30)
    return str(caught.value)


async def test_wrong_authority(server, tmp_path):
    stranger = LocalAuthority(tmp_path).certificate

    assert "is not from the authority in" in await error_of(replace(server.settings, ca=stranger))
    server.wait_for_reason(core_log.REFUSED_CERTIFICATE)


async def test_plaintext_bot(server):
    assert "the server speaks TLS" in await error_of(replace(server.settings, ca=None))
    server.wait_for_reason(core_log.PLAINTEXT_CLIENT)


def test_no_bot_is_said_to_lack_http2(server):
    """Nor is its second attempt, with which it looks for the cause."""
    plaintext = replace(server.settings, ca=None)

    assert "the server speaks TLS" in explain_refused_handshake(plaintext.tls, server.address)
    with socket.create_connection(split_address(server.address)) as connection:
        connection.sendall(b"\x16\x03\x01\x00\x04\x01\xff\xff\xff")  # a ClientHello of 16 MB
        connection.recv(100)
    server.wait_for_reason(core_log.NO_TLS)

    assert core_log.NO_HTTP2 not in {each["reason"] for each in server.events()}


async def test_certificate_for_another_name(server):
    """Another name of the same machine."""
    port = server.address.rpartition(":")[2]

    assert "is not for localhost" in await error_of(replace(server.settings, address=f"localhost:{port}"))
    server.wait_for_reason(core_log.OTHER_NAME)
    assert "localhost" in {each.get("name") for each in server.events()}


async def test_missing_client_certificate(strict_server):
    assert "the server asks for a client certificate" in await error_of(strict_server.settings)
    strict_server.wait_for_reason(core_log.NO_CLIENT_CERTIFICATE)


async def test_foreign_client_certificate(strict_server, tmp_path):
    own = LocalAuthority(tmp_path).issue_client_certificate("ann")
    settings = replace(strict_server.settings, certificate=own.certificate, key=own.key)

    assert "does not accept the client certificate" in await error_of(settings)
    strict_server.wait_for_reason(core_log.FOREIGN_CLIENT_CERTIFICATE)


async def test_clock_a_year_behind(strict_server, tmp_path):
    """The server takes up a certificate of next year, as it seems to a bot whose clock is a year behind."""
    later = LocalAuthority(tmp_path, datetime.now(UTC) + timedelta(days=365))
    renewal = later.issue_server_certificate(HOSTS)
    folder = strict_server.authority.certificate.parent
    (folder / "server-key.pem").write_bytes(renewal.key.read_bytes())
    (folder / "server.pem").write_bytes(renewal.certificate.read_bytes())

    assert "is not valid yet" in await error_of(replace(strict_server.settings, ca=later.certificate))
    strict_server.wait_for_reason(core_log.REFUSED_CERTIFICATE)


async def test_client_that_only_closes(server, tmp_path):
    """As clients of gRPC's core do without the SDK, whatever they do not like about the certificate."""
    stranger = LocalAuthority(tmp_path).certificate.read_bytes()
    async with grpc.aio.secure_channel(server.address, grpc.ssl_channel_credentials(stranger)) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/cheatarena.v1.PlayService/Play")
        with pytest.raises(grpc.aio.AioRpcError, match="unable to get local issuer certificate"):
            await call(b"", timeout=20)
    server.wait_for_reason(core_log.CLOSED)


@pytest.mark.slow
def test_flood_of_bad_handshakes_is_a_few_lines(server):
    """The line names a client."""
    host, _, port = server.address.rpartition(":")
    for _ in range(300):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            connection.recv(100)
    server.wait_for_reason(core_log.PLAINTEXT_CLIENT)

    plaintext = [each for each in server.events() if each["reason"] == core_log.PLAINTEXT_CLIENT]
    assert {each["client"] for each in plaintext} == {"127.0.0.1"}
    assert len(plaintext) < 10


def hello_with_server_name(name: bytes) -> bytes:
    """Return the first bytes of a TLS client that asks for a server with this name."""
    placeholder = ".".join(["a" * 50] * 4)[: len(name)]
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(received, sent, server_hostname=placeholder)
    with suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    return sent.read().replace(placeholder.encode(), name)


@pytest.mark.slow
def test_server_name_with_line_ends_forges_no_event(strict_server):
    """The fixture checks that no other line arrives. A forged handshake would name this address."""
    name = (
        b"x\nforged\nI1123 09:47:05.2   1 handshaker.cc:1] CallNextHandshakerLocked: error=x shutdown=0 "
        b"endpoint_peer_address=ipv4:203.0.113.9:1,\n\x1b[31mz"
    )
    host, _, port = strict_server.address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as client:
        client.sendall(hello_with_server_name(name))
        client.recv(1)

    strict_server.wait_for_reason(core_log.OTHER_NAME)
    assert "203.0.113.9" not in {each.get("client") for each in strict_server.events()}
