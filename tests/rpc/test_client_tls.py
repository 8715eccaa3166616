"""The arena's own clients dial as bots do: same variables, TLS off loopback, a local authority if one is named."""

from pathlib import Path

import pytest

from arena.app import start_server
from arena.config.server_config import ServerConfig
from arena.errors import EnvironmentFaultError, OptionError, UnknownNameError
from arena.match.ports import MatchId
from arena.rpc.client import OrganizerClient
from arena.rpc.client_tls import ClientTls
from arena.rpc.local_authority import LocalAuthority
from tests.support.stamping import loop_parts


async def test_organizer_reaches_a_server_with_a_local_authority(tmp_path):
    """The server answers, because it says itself that the match is unknown; without the authority nobody does."""
    authority = LocalAuthority(tmp_path / "tls")
    pair = authority.issue_server_certificate(["127.0.0.1"])
    config = ServerConfig(
        tmp_path / "data", grace_s=0, tls_cert=pair.certificate, tls_key=pair.key, tls_on_loopback=True
    )
    async with start_server(config, *loop_parts()) as server:
        token = await server.store.tokens.create("me", ["organize"])

        async with OrganizerClient(server.address, token, ClientTls(authority.certificate)) as organizer:
            with pytest.raises(UnknownNameError):
                await organizer.get_match(MatchId("M"))
        other = LocalAuthority(tmp_path / "other").certificate
        async with OrganizerClient(server.address, token, ClientTls(other)) as organizer:
            with pytest.raises(EnvironmentFaultError, match="CERTIFICATE_VERIFY_FAILED"):
                await organizer.get_match(MatchId("M"))


def test_variables_of_bots_are_read():
    environ = {"CHEATARENA_CA": "ca.pem", "CHEATARENA_CERT": "me.pem", "CHEATARENA_KEY": "me-key.pem"}

    assert ClientTls.from_environment(environ) == ClientTls(Path("ca.pem"), Path("me.pem"), Path("me-key.pem"))
    assert ClientTls.from_environment({"CHEATARENA_CA": "", "CHEATARENA_INSECURE": "1"}) == ClientTls(is_insecure=True)
    assert ClientTls.from_environment({}) == ClientTls()


async def test_unreadable_file_is_named_by_its_variable(tmp_path):
    with pytest.raises(OptionError, match=r"CHEATARENA_CA.*missing\.pem"):
        ClientTls(tmp_path / "missing.pem").open_channel("arena.example:7777")
