"""Prepares the trouble `tls`: a line whose near end speaks TLS, and a bot that trusts its certificate."""

import ssl
from dataclasses import replace

from arena.bots.launch.programs import BotProgram
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.server.rpc.local_authority import LocalAuthority


def make_tls_context(authority: LocalAuthority) -> ssl.SSLContext:
    """Return the TLS context of a line's near end, which poses as a server."""
    pair = authority.issue_server_certificate(["127.0.0.1"])
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pair.certificate, pair.key)
    context.set_alpn_protocols(["h2"])
    return context


def trust_authority(player: BotEntrant, authority: LocalAuthority) -> BotEntrant:
    """Return a local bot that uses TLS and trusts this authority."""
    assert isinstance(player.program, BotProgram), "the bot that practises is started here"
    environment = {**player.program.environment, "CHEATARENA_CA": str(authority.certificate)}
    return replace(player, program=replace(player.program, environment=environment))
