"""How the pages reach the server of their data folder: at a listener of this machine, whatever people are told."""

from contextlib import AsyncExitStack, aclosing

import pytest

from arena.fleet.assembly.server import start_server
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.ports import MatchId
from arena.server.config.server_config import ServerConfig
from arena.server.rpc.local_authority import LocalAuthority
from arena.web.live.server_streams import ServerStreams
from tests.support.server import ServerClients
from tests.support.stamping import loop_parts


@pytest.mark.parametrize("own", ["127.0.0.1:0", "unix:{}/arena.sock"])
async def test_pages_dial_a_listener_of_this_machine_and_not_the_public_address(tmp_path, monkeypatch, own):
    """It speaks plaintext, even if CHEATARENA_CA makes the bots on this machine speak TLS."""
    authority = LocalAuthority(tmp_path / "tls")
    pair = authority.issue_server_certificate(["arena.invalid"])
    monkeypatch.setenv("CHEATARENA_CA", str(authority.certificate))
    config = ServerConfig(
        tmp_path / "data",
        grace_s=0,
        listen=("0.0.0.0:0", own.format(tmp_path)),
        public_address="arena.invalid:443",
        tls_cert=pair.certificate,
        tls_key=pair.key,
    )
    async with start_server(config, *loop_parts()) as server, AsyncExitStack() as stack:
        clients = ServerClients((*server.listening, *server.sockets)[-1], server.store, stack)
        await clients.create_service_tokens()
        match, _ = await clients.seat_bots("ann", "bob")
        streams = ServerStreams(config.data, server.store)
        stack.push_async_callback(streams.close)

        async with aclosing(streams.follow(MatchId(match.match_id))) as messages:
            assert await anext(messages) == PublicMessage(0, ())  # the server agrees
