"""TLS: who listens how, certificates that change, and one clear sentence when two ends do not fit."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.errors import OptionError
from arena.fleet.assembly.server import RunningServer, start_server
from arena.server.config.server_config import ServerConfig
from arena.server.rpc.listeners import Listener, plan_listeners
from arena.server.rpc.local_authority import KeyPair, LocalAuthority
from cheatarena import Client, Settings, TlsError
from cheatarena.author import AuthorClient
from tests.support.author_worker import use_thread_worker
from tests.support.idle_bot import IdleBot
from tests.support.stamping import loop_parts

HOSTS = ("localhost", "127.0.0.1", "::1")


@pytest.fixture
def authority(tmp_path) -> LocalAuthority:
    return LocalAuthority(tmp_path / "tls")


@pytest.fixture
def certificate(authority: LocalAuthority) -> KeyPair:
    return authority.issue_server_certificate(HOSTS)


@asynccontextmanager
async def tls_server(tmp_path: Path, certificate: KeyPair, **settings: Any) -> AsyncIterator[RunningServer]:
    """Run a server that speaks TLS on loopback."""
    config = ServerConfig(
        tmp_path / "data", grace_s=0, tls_cert=certificate.certificate, tls_key=certificate.key, tls_on_loopback=True
    )
    async with start_server(replace(config, **settings), *loop_parts()) as server:
        yield server


async def settings_for(server: RunningServer, **settings: Any) -> Settings:
    token = await server.store.tokens.create("ann", ["play"])
    return replace(Settings(server.address, token, patience_s=5), **settings)


async def connect(server: RunningServer, settings: Settings) -> Client:
    """Let a bot connect; raise what the bot raises."""
    client = Client(IdleBot, settings)
    playing = asyncio.create_task(client.play())
    playing.add_done_callback(lambda done: done.cancelled() or done.exception())
    while ("ann", client.instance.name) not in server.node.sessions:
        if playing.done():
            playing.result()
        await asyncio.sleep(0.01)
    return client


async def error_of(server: RunningServer, settings: Settings) -> str:
    with pytest.raises(TlsError) as caught:
        await asyncio.wait_for(Client(IdleBot, settings).play(), 10)
    return str(caught.value)


# ---- listeners


def test_loopback_speaks_plaintext_and_everything_else_tls():
    assert plan_listeners(["127.0.0.1:7", "0.0.0.0:8", "[::]:9", "[::1]:10"], has_certificate=True) == [
        Listener("127.0.0.1", 7, False),
        Listener("0.0.0.0", 8, True),
        Listener("::", 9, True),
        Listener("::1", 10, False),
    ]


def test_tls_on_loopback_is_a_setting():
    assert plan_listeners(["127.0.0.1:7"], has_certificate=True, tls_on_loopback=True)[0].is_tls
    with pytest.raises(OptionError, match="tls_cert"):
        plan_listeners(["127.0.0.1:7"], has_certificate=False, tls_on_loopback=True)


def test_plaintext_off_loopback_needs_a_proxy():
    with pytest.raises(OptionError, match=r"option listen = '0\.0\.0\.0:7' is refused: .*plaintext_behind_proxy"):
        plan_listeners(["0.0.0.0:7"], has_certificate=False)
    with pytest.raises(OptionError, match=r"option host = '0\.0\.0\.0' is refused"):
        plan_listeners(["0.0.0.0:7"], has_certificate=False, setting="host")

    assert plan_listeners(["0.0.0.0:7"], has_certificate=False, has_proxy=True) == [Listener("0.0.0.0", 7, False)]


def test_certificate_that_a_proxy_would_leave_unused_is_refused():
    with pytest.raises(OptionError, match="either tls_cert or plaintext_behind_proxy"):
        plan_listeners(["0.0.0.0:7"], has_certificate=True, has_proxy=True)


@pytest.mark.parametrize("text", ["7777", "host", "host:", ":7777", "::1:7777", "host:70000", "host:-1", "[host]:1"])
def test_malformed_address_is_refused(text):
    with pytest.raises(OptionError, match="HOST:PORT"):
        plan_listeners([text], has_certificate=True)


async def test_server_listens_on_several_addresses(tmp_path):
    config = ServerConfig(tmp_path / "data", grace_s=0, listen=("127.0.0.1:0", "127.0.0.2:0", "[::1]:0"))
    async with start_server(config, *loop_parts()) as server:
        assert [address.rpartition(":")[0] for address in server.listening] == ["127.0.0.1", "127.0.0.2", "[::1]"]
        assert server.address == server.listening[0]
        for address in server.listening:
            settings = await settings_for(server, address=address)
            (await connect(server, settings)).stop()


async def test_public_address_is_the_one_that_is_told(tmp_path):
    async with start_server(ServerConfig(tmp_path, grace_s=0, public_address="arena.example:443"), *loop_parts()) as s:
        assert s.public_address == "arena.example:443"
        assert s.address == s.listening[0]


@pytest.mark.parametrize("text", ["arena.example", "arena.example:70000", "arena .example:443", "\x1b[31m:443"])
async def test_malformed_public_address_is_refused(tmp_path, text):
    """Nobody could dial it."""
    with pytest.raises(OptionError, match=r"public_address.*HOST:PORT"):
        async with start_server(ServerConfig(tmp_path, grace_s=0, public_address=text), *loop_parts()):
            pass


# ---- certificates


async def test_bot_plays_over_tls_with_the_authority_of_the_server(tmp_path, authority, certificate):
    async with tls_server(tmp_path, certificate) as server:
        client = await connect(server, await settings_for(server, ca=authority.certificate))
        client.stop()


async def test_renewed_certificate_is_taken_up_and_open_streams_stay(tmp_path, authority, certificate):
    """A bot that trusts only the new authority connects; the stream of the old one goes on."""
    async with tls_server(tmp_path, certificate) as server:
        old = await connect(server, await settings_for(server, ca=authority.certificate, instance="old"))
        other = LocalAuthority(tmp_path / "other")
        renewal = other.issue_server_certificate(HOSTS)
        certificate.key.write_bytes(renewal.key.read_bytes())
        certificate.certificate.write_bytes(renewal.certificate.read_bytes())

        new = await connect(server, await settings_for(server, ca=other.certificate, instance="new"))

        assert {("ann", "old"), ("ann", "new")} <= server.node.sessions.keys()
        old.stop()
        new.stop()


async def test_broken_renewal_keeps_the_old_certificate(tmp_path, authority, certificate):
    async with tls_server(tmp_path, certificate) as server:
        certificate.certificate.write_text("half a file")

        (await connect(server, await settings_for(server, ca=authority.certificate))).stop()


@pytest.mark.parametrize(
    ("broken", "setting"), [("certificate", "tls_cert"), ("key", "tls_key"), ("other key", "tls_key")]
)
async def test_server_does_not_start_with_a_broken_certificate(tmp_path, certificate, broken, setting):
    if broken == "other key":
        certificate.key.write_bytes(LocalAuthority(tmp_path / "other").issue_server_certificate(HOSTS).key.read_bytes())
    else:
        getattr(certificate, broken).write_text("no PEM")

    with pytest.raises(OptionError, match=setting):
        async with tls_server(tmp_path, certificate):
            pass


async def test_certificate_without_its_key_is_refused(tmp_path, authority, certificate):
    with pytest.raises(OptionError, match="tls_key"):
        async with start_server(ServerConfig(tmp_path, tls_cert=certificate.certificate), *loop_parts()):
            pass


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
async def test_tls_below_1_2_is_refused(tmp_path, authority, certificate):
    async with tls_server(tmp_path, certificate) as server:
        context = ssl.create_default_context(cafile=authority.certificate)
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")

        def dial() -> None:
            port = int(server.address.rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port)) as raw:
                context.wrap_socket(raw, server_hostname="localhost")

        with pytest.raises(ssl.SSLError):
            await asyncio.to_thread(dial)


async def test_client_certificate_is_required_if_the_server_names_an_authority(tmp_path, authority, certificate):
    async with tls_server(tmp_path, certificate, tls_client_ca=authority.certificate) as server:
        settings = await settings_for(server, ca=authority.certificate)
        assert "CHEATARENA_CERT" in await error_of(server, settings)

        own = authority.issue_client_certificate("ann")
        (await connect(server, replace(settings, certificate=own.certificate, key=own.key))).stop()
        other = LocalAuthority(tmp_path / "other").issue_client_certificate("ann")
        foreign = replace(settings, certificate=other.certificate, key=other.key)
        assert "does not accept the client certificate" in await error_of(server, foreign)


# ---- two ends that do not fit


async def test_wrong_authority_is_named(tmp_path, authority, certificate):
    other = LocalAuthority(tmp_path / "other").certificate
    async with tls_server(tmp_path, certificate) as server:
        said = await error_of(server, await settings_for(server, ca=other))

    assert f"not from the authority in {other}" in said


async def test_wrong_name_is_named(tmp_path, authority):
    certificate = authority.issue_server_certificate(["arena.example"])
    async with tls_server(tmp_path, certificate) as server:
        said = await error_of(server, await settings_for(server, ca=authority.certificate))

    assert "not for 127.0.0.1" in said


async def test_clock_that_is_a_year_off_is_named(tmp_path):
    """The server's certificate is of next year, as it seems to a bot whose clock is a year behind."""
    authority = LocalAuthority(tmp_path / "tls", datetime.now(UTC) + timedelta(days=365))
    certificate = authority.issue_server_certificate(HOSTS)
    async with tls_server(tmp_path, certificate) as server:
        said = await error_of(server, await settings_for(server, ca=authority.certificate))

    assert "clock" in said


async def test_plaintext_bot_at_a_tls_port_is_told(tmp_path, authority, certificate):
    async with tls_server(tmp_path, certificate) as server:
        assert "the server speaks TLS" in await error_of(server, await settings_for(server))


async def test_tls_bot_at_a_plaintext_port_is_told(tmp_path, authority, certificate):
    async with start_server(ServerConfig(tmp_path / "data", grace_s=0), *loop_parts()) as server:
        said = await error_of(server, await settings_for(server, ca=authority.certificate))

    assert "the server speaks plaintext, and this bot TLS: unset CHEATARENA_CA (" in said


# ---- authors


async def test_author_reads_over_tls_with_the_authority_of_the_server(tmp_path, authority, certificate, monkeypatch):
    use_thread_worker(monkeypatch)
    async with (
        tls_server(tmp_path, certificate) as server,
        AuthorClient(await settings_for(server, ca=authority.certificate)) as author,
    ):
        assert [match async for match in author.matches()] == []


async def test_author_is_told_what_is_wrong_with_the_connection(tmp_path, certificate):
    """In the same sentence as a bot."""
    stranger = LocalAuthority(tmp_path / "other")
    stranger.issue_server_certificate(HOSTS)
    async with (
        tls_server(tmp_path, certificate) as server,
        AuthorClient(await settings_for(server, ca=stranger.certificate)) as author,
    ):
        with pytest.raises(TlsError, match="is not from the authority"):
            await author.match("x")
