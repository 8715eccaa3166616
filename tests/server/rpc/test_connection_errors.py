"""The guide's table of connection errors: each text is what a client without the SDK really gets."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest

from arena.server.guards import core_log
from arena.server.rpc.local_authority import KeyPair, LocalAuthority
from cheatarena import RefusedError, Settings
from cheatarena.account import AccountClient

ROOT = Path(__file__).resolve().parents[3]
GUIDE, HOSTING = ROOT / "proto" / "README.md", ROOT / "docs" / "proxies.md"
HOSTS = ("localhost", "127.0.0.1")
METHOD = "/cheatarena.v1.PlayService/Play"

UNKNOWN_AUTHORITY = "unable to get local issuer certificate"
EXPIRED = "certificate has expired"
NOT_YET_VALID = "certificate is not yet valid"
WRONG_NAME = "Hostname Verification Check failed"
TLS_AT_PLAINTEXT = "WRONG_VERSION_NUMBER"
PLAINTEXT_AT_TLS = "Socket closed"
NOBODY = "Connection refused"
NO_NAME = "Domain name not found"


def texts_of_the_guide() -> list[str]:
    _, _, chapter = GUIDE.read_text(encoding="utf-8").partition("### When the connection fails")
    chapter, _, _ = chapter.partition("\nThe server's log")
    return re.findall(r"^\| `([^`]+)` \|", chapter, re.MULTILINE)


@asynccontextmanager
async def grpc_server(pair: KeyPair | None, clients: LocalAuthority | None = None) -> AsyncIterator[str]:
    """Run a server without services, over TLS if it has a certificate, and yield its address."""
    server = grpc.aio.server()
    if pair is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        root = None if clients is None else clients.certificate.read_bytes()
        chain = [(pair.key.read_bytes(), pair.certificate.read_bytes())]
        port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials(chain, root, root is not None))
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


async def text_of(address: str, authority: LocalAuthority | None) -> str:
    """Return what gRPC says when a client calls: over TLS if it trusts an authority, else in plaintext."""
    if authority is None:
        channel = grpc.aio.insecure_channel(address)
    else:
        channel = grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(authority.certificate.read_bytes()))
    async with channel:
        play: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(METHOD)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await play(b"", timeout=30)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    return caught.value.details() or ""


def authority_at(folder: Path, days: int) -> LocalAuthority:
    """Make an authority whose certificates are made that many days from now."""
    return LocalAuthority(folder, datetime.now(UTC) + timedelta(days=days))


def test_guides_say_what_the_server_logs():
    """Word for word, so that a search finds it."""
    values = [value for value in vars(core_log).values() if isinstance(value, str)]
    seen_by_clients = {
        core_log.CLOSED, core_log.REFUSED_CERTIFICATE, core_log.OTHER_NAME, core_log.PLAINTEXT_CLIENT,
        core_log.NO_CLIENT_CERTIFICATE, core_log.FOREIGN_CLIENT_CERTIFICATE,
    }  # fmt: skip
    reasons = {each for each in values if each.startswith("the client")}

    assert {each for each in reasons if f"| `{each}` |" not in HOSTING.read_text(encoding="utf-8")} == set()
    assert {each for each in seen_by_clients if f"`{each}`" not in GUIDE.read_text(encoding="utf-8")} == set()


def test_guide_lists_these_texts():
    assert texts_of_the_guide() == [
        UNKNOWN_AUTHORITY, EXPIRED, NOT_YET_VALID, WRONG_NAME, TLS_AT_PLAINTEXT, PLAINTEXT_AT_TLS, NOBODY, NO_NAME,
    ]  # fmt: skip


async def test_unknown_authority(tmp_path):
    mine, other = LocalAuthority(tmp_path / "mine"), LocalAuthority(tmp_path / "other")
    async with grpc_server(mine.issue_server_certificate(HOSTS)) as address:
        assert UNKNOWN_AUTHORITY in await text_of(address, other)


@pytest.mark.parametrize(("days", "text"), [(-500, EXPIRED), (365, NOT_YET_VALID)])
async def test_clock_outside_the_time_of_the_certificate(tmp_path, days, text):
    """To a clock that is a year behind, a certificate of today seems to be of next year."""
    authority = authority_at(tmp_path, days)
    async with grpc_server(authority.issue_server_certificate(HOSTS)) as address:
        assert text in await text_of(address, authority)


async def test_certificate_for_another_name(tmp_path):
    authority = LocalAuthority(tmp_path)
    async with grpc_server(authority.issue_server_certificate(["arena.example"])) as address:
        assert WRONG_NAME in await text_of(address, authority)


async def test_tls_at_a_plaintext_port(tmp_path):
    async with grpc_server(None) as address:
        assert TLS_AT_PLAINTEXT in await text_of(address, LocalAuthority(tmp_path))


async def test_plaintext_at_a_tls_port(tmp_path):
    async with grpc_server(LocalAuthority(tmp_path).issue_server_certificate(HOSTS)) as address:
        assert PLAINTEXT_AT_TLS in await text_of(address, None)


async def test_missing_client_certificate(tmp_path):
    authority = LocalAuthority(tmp_path)
    async with grpc_server(authority.issue_server_certificate(HOSTS), clients=authority) as address:
        assert PLAINTEXT_AT_TLS in await text_of(address, authority)


async def test_port_without_a_server():
    async with grpc_server(None) as address:
        pass

    assert NOBODY in await text_of(address, None)


async def test_unknown_host_name():
    """The name is reserved for never existing (RFC 6761). Where names are not looked up at all, the text differs."""
    text = await text_of("arena.invalid:7777", None)

    assert NO_NAME in text or "hostname lookup error" in text


async def test_sdk_says_that_a_server_has_no_such_service():
    async with grpc_server(None) as address, AccountClient(Settings(address, "cat_ann")) as client:
        with pytest.raises(RefusedError, match="keeps no accounts of authors: it is an older server, or one node"):
            await client.list_bots()
