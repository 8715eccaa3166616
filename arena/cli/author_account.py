"""Opens an author's credentials file, and finds the settings for a connection to one of the servers in it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from arena.errors import OptionError, RequestError
from cheatarena.credentials import (
    PATH_VARIABLE,
    ServerCredentials,
    find_credentials_file,
    read_credentials,
    write_credentials,
)
from cheatarena.errors import SettingsError
from cheatarena.settings import Settings


@contextmanager
def as_request_errors() -> Iterator[None]:
    """Turn a bad setting of the SDK into RequestError."""
    try:
        yield
    except SettingsError as error:
        raise RequestError(str(error)) from error


@dataclass(slots=True)
class CredentialsFile:
    """The credentials file as it was read. Every method raises RequestError if the file cannot be used."""

    path: Path
    servers: dict[str, ServerCredentials]

    @classmethod
    def open(cls) -> "CredentialsFile":
        """Read the file that the environment names. A missing file has no servers."""
        path = find_credentials_file()
        if path is None:
            raise RequestError(f"there is no home folder for the credentials file: set {PATH_VARIABLE} to its path")
        with as_request_errors():
            return cls(path, read_credentials(path))

    def save(self) -> None:
        """Write the file. Commands do this even before they request a token, so that no token is created in vain."""
        with as_request_errors():
            write_credentials(self.path, self.servers)

    def choose_server(self, address: str) -> str:
        """Return the address of a server in the file. An empty address means the only server.

        Raises OptionError if the file has no such server, or if the address is empty and the file has several servers.
        """
        if not address and len(self.servers) == 1:
            return next(iter(self.servers))
        if address not in self.servers:
            known = ", ".join(self.servers) or "none"
            raise OptionError("server", address, f"{self.path} has credentials for: {known}")
        return address

    def keep_bot(self, address: str, bot: str, token: str) -> None:
        """Put the token of a bot into the file."""
        server = self.servers[address]
        self.servers[address] = replace(server, bots={**server.bots, bot: token})
        self.save()

    def keep_owner_token(self, address: str, token: str) -> None:
        """Put the owner's token into the file."""
        self.servers[address] = replace(self.servers[address], owner_token=token)
        self.save()


def find_authority(address: str) -> Path | None:
    """Return the file with the authority of a server's certificate; None for a public authority.

    CHEATARENA_CA names this file, or else the credentials file does. Raises RequestError if the credentials file cannot
    be used.
    """
    if named := os.environ.get("CHEATARENA_CA"):
        return Path(named)
    path = find_credentials_file()
    with as_request_errors():
        known = None if path is None else read_credentials(path).get(address)
    return None if known is None else known.ca


def connection_settings(address: str, credential: str, ca: Path | None) -> Settings:
    """Return how to connect to a server. CHEATARENA_CA, _CERT, _KEY and _INSECURE apply as for bots.

    Raises RequestError for a bad setting.
    """
    environ = {**os.environ, "CHEATARENA_ADDRESS": address, "CHEATARENA_TOKEN": credential}
    if ca is not None:
        environ["CHEATARENA_CA"] = str(ca)
    with as_request_errors():
        return Settings.from_environment(environ)
