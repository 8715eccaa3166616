"""The arena's own clients dial as bots do: same variables, TLS off loopback, a local authority if one is named."""

from pathlib import Path

import pytest

from arena.errors import EnvironmentFaultError, RequestError, UnknownNameError
from arena.fleet.assembly.server import start_server
from arena.match.referee.ports import MatchId
from arena.server.config.server_config import ServerConfig
from arena.server.rpc.client import OrganizerClient
from arena.server.rpc.client_channel import open_channel
from arena.server.rpc.health_service import is_serving
from arena.server.rpc.local_authority import LocalAuthority
from cheatarena.tls_settings import TlsSettings
from tests.support.stamping import loop_parts


async def test_organizer_reaches_a_server_with_a_local_authority(tmp_path):
    """With it the server itself says that the match is unknown. Without it the error says what is wrong."""
    authority = LocalAuthority(tmp_path / "tls")
    pair = authority.issue_server_certificate(["127.0.0.1"])
    config = ServerConfig(
        tmp_path / "data", grace_s=0, tls_cert=pair.certificate, tls_key=pair.key, tls_on_loopback=True
    )
    async with start_server(config, *loop_parts()) as server:
        token = await server.store.tokens.create("me", ["organize"])

        async with OrganizerClient(server.address, token, TlsSettings(authority.certificate)) as organizer:
            with pytest.raises(UnknownNameError):
                await organizer.get_match(MatchId("M"))
        other = LocalAuthority(tmp_path / "other").certificate
        async with OrganizerClient(server.address, token, TlsSettings(other)) as organizer:
            with pytest.raises(EnvironmentFaultError, match="certificate is not from the authority in"):
                await organizer.get_match(MatchId("M"))


def test_variables_of_bots_are_read():
    environ = {"CHEATARENA_CA": "ca.pem", "CHEATARENA_CERT": "me.pem", "CHEATARENA_KEY": "me-key.pem"}

    assert TlsSettings.from_environment(environ) == TlsSettings(Path("ca.pem"), Path("me.pem"), Path("me-key.pem"))
    assert TlsSettings.from_environment({"CHEATARENA_CA": "", "CHEATARENA_INSECURE": "1"}) == TlsSettings(
        is_insecure=True
    )
    assert TlsSettings.from_environment({}) == TlsSettings()


@pytest.mark.parametrize(
    ("ca", "address", "is_used"),
    [
        (None, "127.0.0.1:7777", False),
        (None, "[::1]:7777", False),
        (None, "arena.example:7777", True),
        (Path("ca.pem"), "127.0.0.1:7777", True),
    ],
)
def test_tls_is_spoken_off_loopback_and_with_an_authority(ca, address, is_used):
    assert TlsSettings(ca).is_used_with(address) is is_used


def test_tls_can_be_turned_off():
    assert not TlsSettings(is_insecure=True).is_used_with("arena.example:7777")


async def test_unreadable_file_is_named_by_its_variable(tmp_path):
    with pytest.raises(RequestError, match=r"CHEATARENA_CA.*missing\.pem"):
        open_channel(TlsSettings(tmp_path / "missing.pem"), "arena.example:7777")


async def test_certificate_without_its_key_is_refused(tmp_path):
    with pytest.raises(RequestError, match="CHEATARENA_KEY"):
        open_channel(TlsSettings(certificate=tmp_path / "me.pem"), "arena.example:7777")


# ---- a proxy in the environment


@pytest.fixture
def dead_proxy(monkeypatch) -> None:
    """Name a proxy at which nothing listens."""
    for name in ("grpc_proxy", "https_proxy", "http_proxy", "no_proxy", "no_grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")


@pytest.mark.usefixtures("dead_proxy")
async def test_server_on_this_machine_needs_no_proxy(tmp_path):
    async with start_server(ServerConfig(tmp_path / "data", grace_s=0), *loop_parts()) as server:
        token = await server.store.tokens.create("me", ["organize"])

        assert await is_serving(server.address, TlsSettings(), 10)
        async with OrganizerClient(server.address, token) as organizer:
            with pytest.raises(UnknownNameError):
                await organizer.get_match(MatchId("M"))


@pytest.mark.usefixtures("dead_proxy")
async def test_server_behind_a_dead_proxy_is_not_blamed_alone():
    named = "arena.example:443: .*, through the proxy 127.0.0.1:9 that https_proxy names"
    with pytest.raises(EnvironmentFaultError, match=named):
        await is_serving("arena.example:443", TlsSettings(), 10)
    async with OrganizerClient("arena.example:443", "token") as organizer:
        with pytest.raises(EnvironmentFaultError, match=named):
            await organizer.get_match(MatchId("M"))
