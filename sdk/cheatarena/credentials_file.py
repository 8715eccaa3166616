"""Opens the credentials file of an author for changes."""

from dataclasses import dataclass, replace
from pathlib import Path

from cheatarena.addresses import find_address_fault
from cheatarena.credentials import (
    PATH_VARIABLE,
    ServerCredentials,
    find_credentials_file,
    read_credentials,
    write_credentials,
)
from cheatarena.errors import SettingsError
from cheatarena.tokens import strip_copied


@dataclass(slots=True)
class CredentialsFile:
    """The credentials file as it was read. Every method raises SettingsError if the file cannot be used."""

    path: Path
    servers: dict[str, ServerCredentials]

    @classmethod
    def open(cls) -> "CredentialsFile":
        """Read the file that the environment names. If the file is missing, the result has no servers."""
        path = find_credentials_file()
        if path is None:
            raise SettingsError(f"there is no home folder for the credentials file: set {PATH_VARIABLE} to its path")
        return cls(path, read_credentials(path))

    def save(self) -> None:
        """Write the file. Also called before a token is requested, to make sure that the token can be saved."""
        write_credentials(self.path, self.servers)

    def choose_server(self, address: str) -> str:
        """Return `address` if the file has this server. If `address` is empty, return the only server of the file."""
        address = strip_copied(address)
        if not address and len(self.servers) == 1:
            return next(iter(self.servers))
        if address not in self.servers:
            if address and (fault := find_address_fault(address)):
                raise SettingsError(f"server: {address!r}: {fault}")
            if not self.servers:
                raise SettingsError(f"{self.path} has no server yet: join one with `python -m cheatarena join`")
            known = ", ".join(self.servers)
            which = f"you have not joined {address}" if address else "name the server that you mean"
            raise SettingsError(f"{which}: {self.path} has {known}")
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
