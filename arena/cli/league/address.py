"""Where the server of a league listens."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from arena.cli.listening import ListeningFlags
from arena.errors import OptionError
from arena.organizer.file.league_file import LeagueFile
from arena.server.config.server_config import ServerConfig
from arena.server.rpc.local_authority import find_local_authority
from cheatarena.addresses import is_loopback

LOOPBACK: Final = "127.0.0.1"
"""The address of the listener for bots on this machine."""


def authority_to_send(server: ServerConfig, address: str) -> Path | None:
    """Return the file with the local authority that bots need to dial `address`; None if they need none."""
    is_secured = server.tls_on_loopback or not is_loopback(address)
    return find_local_authority(server.tls_cert) if server.tls_cert is not None and is_secured else None


def league_server(file: LeagueFile, config: ServerConfig, flags: ListeningFlags, port: int) -> ServerConfig:
    """Return the settings of the node to which a league's bots connect. `config` is read from `flags` and environment.

    Without `--listen` the node listens on loopback, at `port`. Bots that the arena starts speak plaintext on loopback.
    So if there are also remote bots, the last listener is only for the bots that the arena starts. Raises OptionError
    for options that do not suit the league's bots.
    """
    plain = ServerConfig(config.data, port=port)
    if not file.has_remote:
        for name in (name for name, value in asdict(flags).items() if value is not None):
            raise OptionError(name, "given", "no bot of this league dials in: it has none as `remote:NAME`")
        return plain
    if file.dates and not port and not config.listen:
        raise OptionError(
            "port", port, "bots of a league with dates need an address that stays: name a port, or --listen"
        )
    server = replace(
        plain,
        listen=config.listen,
        public_address=config.public_address,
        tls_cert=config.tls_cert,
        tls_key=config.tls_key,
        tls_client_ca=config.tls_client_ca,
        tls_on_loopback=config.tls_on_loopback,
        plaintext_behind_proxy=config.plaintext_behind_proxy,
    )
    if all(bot.is_remote for bot in file.bots.values()):
        return server
    for name in ("tls_on_loopback", "plaintext_behind_proxy"):
        if value := getattr(server, name):
            raise OptionError(name, value, "the arena starts bots of this league, and they speak plaintext on loopback")
    return replace(server, listen=(*config.listen, f"{LOOPBACK}:0")) if config.listen else server
